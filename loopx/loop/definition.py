"""What a step is, as a digest: so that an edit between attempts, or a change to completed work, shows."""

from __future__ import annotations

import json
from hashlib import sha256

from loopx.model.codec import encode
from loopx.model.plan import PlanStep


def definition_digest(meant: PlanStep, tool: str | None = None, model: str | None = None) -> str:
    """SHA-256 (hex) of a step's definition with the tool and model it uses. Its title and dependencies do not count:
    they change nothing about what an execution did."""
    fields = encode(meant)
    for name in ("title", "depends_on", "version", "lineage", "replaces"):
        fields.pop(name, None)
    fields["tool"], fields["model"] = tool, model
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode("ascii")).hexdigest()
