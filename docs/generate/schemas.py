"""One JSON Schema a kind of file, for editors: what completes and checks the fields of a file one is writing."""

from __future__ import annotations

from loopx.model.kind import Kind
from loopx.model.validation import json_schema_text


def texts() -> dict[str, str]:
    """File name to contents, for every kind."""
    return {f"{kind}.schema.json": json_schema_text(kind) for kind in Kind}
