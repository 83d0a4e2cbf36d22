"""Who may speak to the live page: the right host, the token in a cookie, and for changes a form of the page itself.

The outermost layer of the app: nothing behind it sees a request that does not belong here. It also puts the security
policy on every answer, and turns what nobody expected into a problem with a code.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopx.errors import Problem
from loopx.model.clock import Clock
from loopx.projections.live import views

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # "no-referrer" would make browsers send "Origin: null" with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_KEY_LASTS = timedelta(minutes=5)
_KEYS_KEPT = 32
_ENTRANCE = "/enter"
_READS = ("GET", "HEAD")


class Doorkeeper:
    """The token of one server, and the keys that hand it over once each."""

    def __init__(self, token: str, clock: Clock) -> None:
        self.token = token
        self._clock = clock
        self._keys: dict[str, datetime] = {}
        self.hosts: frozenset[str] = frozenset()
        """What ``Host`` may say; known once the port is."""
        self.cookie = "loopx"

    def open_at(self, host: str, port: int) -> None:
        """Say where the server listens. Cookies are shared by all ports of a host, so each server has a name of its
        own for its cookie."""
        names = {host} if host not in ("127.0.0.1", "localhost", "::1") else {"127.0.0.1", "localhost", "[::1]"}
        self.hosts = frozenset(f"{name}:{port}" for name in names)
        self.cookie = f"loopx-{port}"

    def new_key(self) -> str:
        """A key that opens the page once, within minutes."""
        now = self._clock.now()
        live = {key: until for key, until in self._keys.items() if until > now}
        self._keys = dict(list(live.items())[-_KEYS_KEPT:])
        key = token_urlsafe(24)
        self._keys[key] = now + _KEY_LASTS
        return key

    def use(self, key: str) -> bool:
        """Whether ``key`` opens the page; it does so no second time."""
        until = self._keys.pop(key, None)
        return until is not None and until > self._clock.now()

    def holds(self, headers: Headers) -> bool:
        """Whether a request carries the token, in the cookie or as another program of this person sends it."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._is_token(given)
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    def hand_over(self, answer: Response) -> None:
        """Put the token into the cookie."""
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


class Guarded:
    """The app behind its doorkeeper."""

    def __init__(self, app: ASGIApp, keeper: Doorkeeper, unexpected: Callable[[Exception], Problem]) -> None:
        self._app = app
        self._keeper = keeper
        self._unexpected = unexpected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        is_begun = False

        async def dressed(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _ALWAYS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = self._refused(scope)
        try:
            await (refused or self._app)(scope, receive, dressed)
        except Exception as error:  # noqa: BLE001  (the outermost edge of a request)
            problem = self._unexpected(error)
            if not is_begun:
                await answer_of(scope, problem, 500)(scope, receive, dressed)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._keeper.hosts:
            return answer_of(scope, Problem("page-foreign", "The request names another host."), 421)
        if scope["method"] not in _READS and not self._is_own(headers):
            return answer_of(scope, Problem("page-foreign", "The request comes from another page."), 403)
        if scope["path"] != _ENTRANCE and not self._keeper.holds(headers):
            return answer_of(scope, Problem("page-closed", "This browser has not been let in."), 401)
        return None

    def _is_own(self, headers: Headers) -> bool:
        """Whether a change is asked for by the page itself, or by a program that holds the token and is no browser."""
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return False
        origin = headers.get("origin")
        if origin is None:
            return headers.get("authorization", "").lower().startswith("bearer ")
        return origin in {f"http://{host}" for host in self._keeper.hosts} and origin == f"http://{headers['host']}"


def answer_of(scope: Scope, problem: Problem, status: int) -> Response:
    """A problem as the asker can read it."""
    if "application/json" in Headers(scope=scope).get("accept", ""):
        return JSONResponse({"ok": False, **problem.as_json()}, status_code=status)
    return HTMLResponse(views.sorry(problem), status_code=status)
