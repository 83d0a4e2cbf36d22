"""How another process of the same person finds a live page that is being served, and is handed a link to it.

``local/web.json`` says where the page is and holds its token, readable by its owner alone. Loads no server.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from loopx.workspace.places import Places

_SECONDS = 5.0


def leave_open(places: Places, address: str, token: str) -> None:
    """Say where the page is."""
    places.local.mkdir(exist_ok=True)
    fresh = places.web.with_suffix(f".{os.getpid()}.tmp")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"address": address, "token": token}, file)
    os.replace(fresh, places.web)


def close(places: Places, address: str) -> None:
    """Take back what was said about the page at ``address``; about another one nothing is touched."""
    if _noted(places).get("address") == address:
        places.web.unlink(missing_ok=True)


def link(places: Places) -> str | None:
    """An address that opens the page of this workspace once; ``None`` where none is being served."""
    noted = _noted(places)
    address, token = noted.get("address"), noted.get("token")
    if not isinstance(address, str) or not isinstance(token, str):
        return None
    key = _key(address, token)
    return f"{address}/enter?key={key}" if key else None


def _key(address: str, token: str) -> str | None:
    """A new key from the server at ``address``; ``None`` where nobody answers, or somebody who does not know us."""
    found = urlsplit(address)
    try:
        with closing(HTTPConnection(found.hostname or "", found.port, timeout=_SECONDS)) as asked:
            asked.request("POST", "/key", headers={"Authorization": f"Bearer {token}", "Content-Length": "0"})
            answer = asked.getresponse()
            told: Any = json.loads(answer.read(4096)) if answer.status == 200 else {}
    except (OSError, ValueError, HTTPException):
        return None
    key = told.get("key") if isinstance(told, dict) else None
    return key if isinstance(key, str) else None


def _noted(places: Places) -> dict[str, Any]:
    try:
        found = json.loads(places.web.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
