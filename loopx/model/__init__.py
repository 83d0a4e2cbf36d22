"""The nouns: what a Goal, a Todo, a Gate, a Vision and their records are.

Entities are frozen dataclasses, so that reading them costs no import of a validation library; pydantic checks them at
the door, in :mod:`loopx.model.validation`, whenever a text a person or program wrote becomes an entity. Nothing here
reads files, the clock, Git or randomness.
"""
