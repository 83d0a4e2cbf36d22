"""When do we look again: being told of changes instead of looking for them. Decides nothing."""
