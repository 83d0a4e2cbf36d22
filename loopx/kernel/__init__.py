"""The pure kernel: state and proposal in, Accepted or Refused out. No clock, no disk, no Git, no randomness."""
