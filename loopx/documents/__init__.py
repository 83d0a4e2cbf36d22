"""Texts and entities: reading a document, changing one field of it and nothing else, writing a new one, merging two.

Bytes come in and go out; no file is opened here. The workspace is the caller. A name is loaded when it is first used,
so that writing a new document costs neither the YAML library nor the validation library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopx.documents.adoption import adopt as adopt
    from loopx.documents.comparison import compare as compare
    from loopx.documents.editing import edit as edit
    from loopx.documents.emission import emit as emit
    from loopx.documents.merging import Merged as Merged
    from loopx.documents.merging import merge as merge
    from loopx.documents.reading import Reading as Reading
    from loopx.documents.reading import read as read
    from loopx.documents.repairing import Repair as Repair
    from loopx.documents.repairing import repairs as repairs
    from loopx.documents.source import normal_body as normal_body

_PUBLIC = {
    "Merged": "merging",
    "Reading": "reading",
    "Repair": "repairing",
    "adopt": "adoption",
    "compare": "comparison",
    "edit": "editing",
    "emit": "emission",
    "merge": "merging",
    "normal_body": "source",
    "read": "reading",
    "repairs": "repairing",
}

__all__ = [
    "Merged",
    "Reading",
    "Repair",
    "adopt",
    "compare",
    "edit",
    "emit",
    "merge",
    "normal_body",
    "read",
    "repairs",
]


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'loopx.documents' has no attribute {name!r}")
    return getattr(import_module(f"loopx.documents.{module}"), name)
