"""What is said about each noun, in lines for people. Pure: facts in, lines out; nothing is decided here."""
