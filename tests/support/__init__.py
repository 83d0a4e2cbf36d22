"""What tests share: a clock and ids under control, real processes, a real project, fakes that keep our contracts."""
