"""The verbs, one module a noun: each turns what was typed into one library call and the result into an answer."""
