"""One JSON Schema a kind of file, for editors: what completes and checks the fields of a file one is writing."""

from __future__ import annotations

import json

from loopx.model.kind import Kind
from loopx.model.validation import json_schema


def texts() -> dict[str, str]:
    """File name to contents, for every kind."""
    return {f"{kind}.schema.json": _text(kind) for kind in Kind}


def _text(kind: Kind) -> str:
    return json.dumps(json_schema(kind), indent=2, ensure_ascii=False) + "\n"
