"""How each refusal comes about on a real workspace: a scene prepared, and the one request or edit that is refused."""
