"""Turns: opening one, settling it in one commit, and what a settlement is worth."""
