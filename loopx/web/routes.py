"""The addresses of the live page: views to look at, forms to answer, the stream of what happens."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from loopx.errors import Exit, LoopxError, Problem
from loopx.projections.live import addresses, views
from loopx.projections.live.facts import Asked, Frame, PacketItem, PacketView, Said
from loopx.projections.templating import source
from loopx.web.answering import ANSWERS, Fields
from loopx.web.guarding import Doorkeeper, answer_of
from loopx.web.showing import Facts, Showing
from loopx.web.streaming import Streams
from loopx.workspace.reports import RollbackPacket

BODY_LIMIT = 512 * 1024
"""Bytes of a form."""
_TIMELINE, _TIMELINE_MOST = 100, 6400
_GOAL_HISTORY = 15
_STATUS = {Exit.REFUSED: 422, Exit.USAGE: 400, Exit.CONFLICT: 409, Exit.UNAVAILABLE: 503, Exit.FAILED: 422}
_ASSETS = {
    "board.css": ("board.css", "text/css"),
    "live.css": ("live/live.css", "text/css"),
    "live.js": ("live/live.js", "text/javascript"),
}
_LISTS = {
    "judgements": "Has to be judged anew",
    "operations": "Operations undone",
    "dependants": "Depends on it",
    "kept": "Stays as it is",
    "destructive": "Needs care",
}

View = Callable[[Request, Facts, Frame], str]


class Routes:
    """Answers every request that the doorkeeper let through."""

    def __init__(
        self, showing: Showing, streams: Streams, keeper: Doorkeeper, health: Callable[[], dict[str, Any]]
    ) -> None:
        self._showing = showing
        self._streams = streams
        self._keeper = keeper
        self._health = health

    def all(self) -> list[Route]:
        """Every address there is."""
        seen: dict[str, tuple[str, View]] = {
            "/": ("overview", self._overview),
            "/board": ("board", self._board),
            "/goals": ("goals", lambda _request, _facts, frame: views.goals(frame)),
            "/goal/{id}": ("goals", self._goal),
            "/todo/{id}": ("board", self._todo),
            "/run/{id}": ("board", self._run),
            "/gates": ("gates", lambda _request, _facts, frame: views.gates(frame)),
            "/gate/{id}": ("gates", self._gate),
            "/decisions": ("decisions", lambda _request, _facts, frame: views.decisions(frame)),
            "/timeline": ("timeline", self._timeline),
            "/commit/{rev}": ("timeline", self._commit),
            "/rollback": ("timeline", self._rollback),
            "/undo": ("timeline", self._undo),
            "/problems": ("problems", self._problems),
            "/edit": ("problems", self._edit),
        }
        return [
            *(Route(path, self._seen(name, view), methods=["GET"]) for path, (name, view) in seen.items()),
            Route("/do/{what}", self._answered, methods=["POST"]),
            Route("/events", self._events, methods=["GET"]),
            Route("/static/{name}", self._static, methods=["GET"]),
            Route("/healthz", self._healthz, methods=["GET"]),
            Route("/enter", self._enter, methods=["GET"]),
            Route("/key", self._key, methods=["POST"]),
        ]

    # looking ---------------------------------------------------------------------------------

    def _seen(self, name: str, view: View) -> Callable[[Request], Any]:
        def look(request: Request) -> Response:
            facts = self._showing.facts()
            return _page(view(request, facts, self._frame(facts, name)))

        async def endpoint(request: Request) -> Response:
            try:
                return await run_in_threadpool(look, request)
            except LoopxError as error:
                status = 404 if error.code.endswith("-unknown") else _STATUS.get(error.exit, 500)
                return await run_in_threadpool(self._instead, request, error.problem, status)

        return endpoint

    def _frame(self, facts: Facts, name: str = "") -> Frame:
        actor = str(self._showing.actor())
        return Frame(survey=facts.survey, actor=actor, version=version(), view=name, runs=facts.runs)

    def _instead(self, request: Request, problem: Problem, status: int) -> Response:
        """A problem in place of a view, in the page's own frame where that can be had."""
        try:
            frame = self._frame(self._showing.facts())
        except LoopxError:
            return answer_of(request.scope, problem, status)
        heading = "There is no such thing here" if status == 404 else "That cannot be shown"
        return _page(views.said(frame, Said(problem=problem, heading=heading)), status)

    def _overview(self, _request: Request, _facts: Facts, frame: Frame) -> str:
        return views.overview(frame, self._showing.history(limit=views.SHOWN))

    def _board(self, request: Request, _facts: Facts, frame: Frame) -> str:
        asked = request.query_params
        return views.board(
            frame, Asked(goal=asked.get("goal", ""), text=asked.get("q", "")[:200], more=asked.get("more", ""))
        )

    def _goal(self, request: Request, facts: Facts, frame: Frame) -> str:
        goal = self._showing.goal(facts, request.path_params["id"])
        return views.goal(frame, goal, self._showing.history(goal.id, _GOAL_HISTORY))

    def _todo(self, request: Request, facts: Facts, frame: Frame) -> str:
        return views.todo(
            frame, self._showing.todo(facts, request.path_params["id"], request.query_params.get("at", ""))
        )

    def _run(self, request: Request, facts: Facts, frame: Frame) -> str:
        return views.run(frame, self._showing.run(facts, request.path_params["id"]))

    def _gate(self, request: Request, facts: Facts, frame: Frame) -> str:
        return views.gate(frame, self._showing.gate(facts, request.path_params["id"]))

    def _timeline(self, request: Request, _facts: Facts, frame: Frame) -> str:
        asked = request.query_params.get("limit", "")
        typed = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= len(str(_TIMELINE_MOST)) else 0
        limit = min(typed, _TIMELINE_MOST) or _TIMELINE
        return views.timeline(frame, self._showing.history(limit=limit), limit)

    def _commit(self, request: Request, _facts: Facts, frame: Frame) -> str:
        return views.commit(frame, self._showing.commit(request.path_params["rev"]))

    def _problems(self, _request: Request, facts: Facts, frame: Frame) -> str:
        return views.problems(frame, self._showing.edits(facts))

    def _edit(self, request: Request, facts: Facts, frame: Frame) -> str:
        return views.edit(frame, self._showing.edit(facts, request.query_params.get("path", "")))

    def _rollback(self, request: Request, _facts: Facts, frame: Frame) -> str:
        asked = request.query_params
        goal, todo = asked.get("goal", ""), asked.get("todo", "")
        packet = self._showing.workspace.plan_rollback(asked.get("rev", ""), goal=goal or None, todo=todo or None)
        fields = {"rev": packet.target, "head": packet.head, "goal": goal, "todo": todo}
        return views.packet(frame, packet_view(packet, fields))

    def _undo(self, request: Request, _facts: Facts, frame: Frame) -> str:
        operation = request.query_params.get("op", "")
        if not operation:
            raise LoopxError("page-request", "The address does not say which operation is to be undone.")
        packet = self._showing.workspace.plan_undo(operation)
        fields = {"undone": operation, "head": packet.head}
        return views.packet(frame, packet_view(packet, fields, is_undo=True))

    # answering -------------------------------------------------------------------------------

    async def _answered(self, request: Request) -> Response:
        try:
            answer = ANSWERS.get(request.path_params["what"])
            if answer is None:
                raise LoopxError("page-unknown", "No form is answered here.")
            fields = await _fields(request)
        except LoopxError as error:
            return answer_of(request.scope, error.problem, _STATUS.get(error.exit, 500))
        return await run_in_threadpool(self._carried_out, request, answer, fields)

    def _carried_out(self, request: Request, answer: Callable[[Showing, Fields], Said], fields: Fields) -> Response:
        try:
            said, status = answer(self._showing, fields), 200
        except LoopxError as error:
            said, status = Said(problem=error.problem, typed=fields), _STATUS.get(error.exit, 500)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse(_as_json(said), status_code=status)
        told = Said(
            text=said.text,
            operation=said.operation,
            revision=said.revision,
            problem=said.problem,
            warnings=said.warnings,
            typed={name: value for name, value in said.typed.items() if name not in ("op", "head")},
            back=_back(request),
        )
        return _page(views.said(self._frame(self._showing.facts()), told), status)

    # everything else ---------------------------------------------------------------------------

    async def _events(self, _request: Request) -> Response:
        return StreamingResponse(self._streams.stream(), media_type="text/event-stream")

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _ASSETS:
            return answer_of(request.scope, Problem("page-unknown", "There is no such file."), 404)
        place, kind = _ASSETS[name]
        kept = {"cache-control": "private, max-age=604800"}
        return Response(source(place), media_type=kind, headers=kept)

    async def _healthz(self, _request: Request) -> Response:
        return JSONResponse({"ok": True, "pages_open": self._streams.number, **await run_in_threadpool(self._health)})

    async def _enter(self, request: Request) -> Response:
        if not self._keeper.use(request.query_params.get("key", "")):
            return answer_of(request.scope, Problem("page-closed", "This link was used before, or is too old."), 401)
        # A page of our own leads on: coming from elsewhere, the browser would not send the cookie with a redirection.
        answer = HTMLResponse(views.entering(addresses.OVERVIEW))
        self._keeper.hand_over(answer)
        return answer

    async def _key(self, _request: Request) -> Response:
        return JSONResponse({"key": self._keeper.new_key()})


def packet_view(packet: RollbackPacket, fields: dict[str, str], *, is_undo: bool = False) -> PacketView:
    """A rollback packet as the page shows it."""
    return PacketView(
        target=packet.target,
        head=packet.head,
        items=[
            PacketItem(change=each.change, kind=each.kind, id=each.id, path=each.path, actors=each.actors)
            for each in packet.items
        ],
        lists={title: getattr(packet, name) for name, title in _LISTS.items()},
        effects=packet.effects,
        choices=packet.choices,
        asked={name: value for name, value in fields.items() if value},
        is_undo=is_undo,
    )


@cache
def version() -> str:
    """Changes when style or script do."""
    whole = "".join(source(place) for place, _ in _ASSETS.values())
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def _page(text: str, status: int = 200) -> Response:
    return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)


async def _fields(request: Request) -> Fields:
    """A form's fields. Raises ``page-request`` for anything but a small form in UTF-8 with each name once."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/x-www-form-urlencoded":
        raise LoopxError("page-request", "Only a form can be answered.")
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_LIMIT:
            raise LoopxError("page-request", f"The form is larger than {BODY_LIMIT // 1024} KiB.")
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50, strict_parsing=bool(body)
        )
    except ValueError as error:
        raise LoopxError("page-request", "The form cannot be read.") from error
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise LoopxError("page-request", "The form names a field twice.")
    return fields


def _as_json(said: Said) -> dict[str, Any]:
    if said.problem is not None:
        place = str(said.problem.place) if said.problem.place is not None else None
        problem = said.problem
        return {"ok": False, "code": problem.code, "message": problem.message, "hint": problem.hint, "place": place}
    return {
        "ok": True,
        "text": said.text,
        "operation": said.operation,
        "revision": said.revision,
        "warnings": [each.as_json() for each in said.warnings],
    }


def _back(request: Request) -> str:
    """The view a form was sent from: a path of this server, whatever the header says."""
    found = urlsplit(request.headers.get("referer", ""))
    path = found.path if found.path.startswith("/") and not found.path.startswith("//") else addresses.OVERVIEW
    return f"{path}?{found.query}" if found.query else path
