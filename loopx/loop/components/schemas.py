"""JSON Schema: the one place that imports jsonschema, and only once an output is judged by it."""

from __future__ import annotations

import json
from typing import Any

from loopx.errors import LoopxError

_MOST = 5


def objections(schema: str, value: Any) -> list[str]:
    """What ``value`` (JSON values) breaks of ``schema`` (JSON text), the first few, with the way to each.

    Draft 2020-12 unless the schema names another. Nothing is fetched: a reference out of the schema raises, as whatever
    is no schema does (``judge-invalid``).
    """
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        read = json.loads(schema)
        judge = validator_for(read, default=Draft202012Validator)
        judge.check_schema(read)
        found = sorted(judge(read, registry=Registry()).iter_errors(value), key=lambda each: list(map(str, each.path)))
    except (ValueError, SchemaError, Unresolvable) as error:
        reason = str(getattr(error, "message", error)).partition("\n")[0]
        raise LoopxError("judge-invalid", f"a JSON schema cannot be used: {reason}") from error
    return [f"{each.json_path}: {each.message}"[:300] for each in found[:_MOST]]
