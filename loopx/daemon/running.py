"""The daemon's one thread of control: wait for the first of an event, a request, a signal, an instant; see to it.

What to do when is asked of :mod:`loopx.daemon.agenda`; what a look found is told by :mod:`loopx.daemon.announcing`.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loopx import __version__
from loopx.daemon import announcing, line
from loopx.daemon.agenda import POLL_SECONDS, RESCAN_SECONDS, Agenda, Why
from loopx.daemon.duties import next_duty
from loopx.daemon.health import Health
from loopx.daemon.looking import Look
from loopx.daemon.opened import Opened, gone
from loopx.daemon.page import Page
from loopx.daemon.program import Program
from loopx.daemon.rendering import Rendering
from loopx.daemon.requests import answered
from loopx.daemon.serving import Answering
from loopx.daemon.watch import POLLING
from loopx.errors import LoopxError
from loopx.model.clock import Clock
from loopx.model.times import format_instant
from loopx.web.hub import Happening, HappeningKind, MemoryHub

_LONGEST_WAIT = 60.0
"""So that a step of the clock, or a sleep of the machine, puts nothing off for longer."""


class Daemon:
    """The daemon of the workspace at ``root``. ``say`` takes each line it tells; ``answering`` carries commands out."""

    def __init__(
        self,
        root: Path,
        *,
        environ: Mapping[str, str],
        clock: Clock,
        say: Callable[[str], None],
        answering: Answering,
        has_page: bool = True,
    ) -> None:
        self.root = root
        self.environ = environ
        self.clock = clock
        self.hub = MemoryHub()
        self.program = Program()
        self._say = say
        self._answering = answering
        self._has_page = has_page
        self._selector = selectors.DefaultSelector()
        self._is_stopping = False
        self._has_event = False
        self._opened: Opened | None = None
        self._page: Page | None = None
        self._agenda = Agenda()
        self._memory = announcing.NOTHING
        self._thorough_at = 0.0
        self.health = Health(pid=os.getpid(), version=__version__, root=str(root), since=clock.now())

    # from the first to the last -------------------------------------------------------------

    def run(self) -> None:
        """Run until SIGTERM, SIGINT or SIGHUP. Raises ``daemon-running`` when another one watches already."""
        woken, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector.register(woken, selectors.EVENT_READ, lambda: os.read(woken, 4096))
        before = {each: signal.signal(each, self._stop) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)  # a child that ended rings the bell
        bell = signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        try:
            self._open()
            while not self._is_stopping:
                self._turn()
        finally:
            signal.set_wakeup_fd(bell)
            for each, handler in before.items():
                signal.signal(each, handler)
            self._close()
            self._selector.close()
            os.close(woken)
            os.close(self._bell)

    def _stop(self, *_: Any) -> None:
        self._is_stopping = True

    def _event(self) -> None:
        """Called by the watch, on a thread of its own."""
        self._has_event = True
        try:
            os.write(self._bell, b".")
        except BlockingIOError:
            return  # it rings already

    def _open(self) -> None:
        opened = Opened(
            self.root, environ=self.environ, clock=self.clock, selector=self._selector, on_event=self._event
        )
        self._opened = opened
        if self._has_page:
            self._page = Page(opened, self.hub, self.environ, self.clock, self.health.as_json)
            self.health.page, self.health.page_why = self._page.address, self._page.why
        self._agenda = Agenda(rescan_at=time.monotonic())
        self._thorough_at = 0.0
        self._note_mode()
        why = f" ({self.health.why})" if self.health.why else ""
        self._tell_line(f"watching {self.root} by {self.health.mode}{why}")
        if self._has_page:
            told = f"page at {self.health.page}" if self.health.page else f"no page: {self.health.page_why}"
            self._tell_line(told)

    def _close(self) -> None:
        if self._page is not None:
            self._page.stop()
            self._page = None
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # one turn -------------------------------------------------------------------------------

    def _turn(self) -> None:
        wait = max(0.0, min(self._next_at() - time.monotonic(), _LONGEST_WAIT))
        for key, _ in self._selector.select(0 if self._has_event else wait):
            key.data()
        if self._is_stopping:
            return
        if self._has_event:
            self._has_event = False
            self.health.last_event_at = self.clock.now()
            self._agenda = self._agenda.with_event(time.monotonic())
        if self._opened is None:
            self._try_to_return()
            return
        self._serve(self._opened)
        at, why = self._agenda.next_look()
        if time.monotonic() >= at:
            self._look(self._opened, why)
        if self._opened is not None:
            self._refresh_pages(self._opened.rendering)

    def _next_at(self) -> float:
        """When something is to be done next, if nothing happens before."""
        at, _ = self._agenda.next_look()
        hurry_at = None if self._opened is None else self._opened.rendering.due_at
        return at if hurry_at is None else min(at, hurry_at)

    def _try_to_return(self) -> None:
        """The workspace was gone. Look whether it is back; anything else is somebody's to say."""
        if time.monotonic() < self._agenda.next_look()[0]:
            return
        self._agenda = Agenda(rescan_at=time.monotonic() + POLL_SECONDS, rescan_every=POLL_SECONDS)
        try:
            self._open()
        except LoopxError as error:
            if error.code == "daemon-running":
                raise
            return
        self._tell(HappeningKind.HEALTH, f"{self.root} is back.")

    def _leave(self) -> None:
        """The ground is gone: stop, ask, and wait for it. Nothing is written, nothing is taken for deleted."""
        self._close()
        problem = gone(self.root).problem
        self.health.failure, self.health.mode = problem, ""
        self._agenda = Agenda(rescan_at=time.monotonic() + POLL_SECONDS, rescan_every=POLL_SECONDS)
        self._tell(HappeningKind.HEALTH, f"{problem.message} [{problem.code}] → {problem.hint}")

    # looking --------------------------------------------------------------------------------

    def _look(self, opened: Opened, why: Why) -> None:
        if not opened.ground.is_same():
            self._leave()
            return
        if not opened.watch.is_armed:
            opened.watch.rearm()
            self._note_mode()
        now = time.monotonic()
        is_thorough = why is Why.RESCAN and now >= self._thorough_at
        if is_thorough:
            self._thorough_at = now + RESCAN_SECONDS
            self.health.outdated = self.program.change()
            if opened.rendering.problem is not None:
                opened.ws.pages.mark()  # what kept them from being written may be gone
        look = opened.looking.look(is_thorough=is_thorough)
        if not opened.ground.is_same():
            self._leave()
            return
        self._looked(opened, look, why)

    def _looked(self, opened: Opened, look: Look, why: Why) -> None:
        now = self.clock.now()
        is_new = look.revision != self.health.revision
        self.health.looked(look, now)
        self._note_overflows(opened)
        happenings, self._memory = announcing.announce(self._memory, look, now)
        for each in happenings:
            self._publish(each)
        ended = time.monotonic()
        if look.failure is not None:
            self._agenda = self._agenda.with_failure(ended)
        else:
            is_doubtful = look.is_unsettled or self._memory.has_doubts
            self._agenda = self._agenda.with_look(ended, is_doubtful=is_doubtful, is_rescan=why is Why.RESCAN)
        if look.state is not None and (is_new or why in (Why.DUE, Why.RESCAN)):
            if why is Why.DUE and self.health.duty is not None:
                opened.ws.pages.mark()
                self._tell(HappeningKind.DUE, f"{self.health.duty.what}: {self.health.duty.about}")
            self._plan_duty(look.state)
        opened.rendering.want(look.commits, time.monotonic(), at_once=True)

    def _plan_duty(self, state: Any) -> None:
        now = self.clock.now()
        self.health.duty = next_duty(state, now)
        duty = self.health.duty
        at = None if duty is None else time.monotonic() + (duty.at - now).total_seconds()
        self._agenda = self._agenda.with_due(at)

    def _refresh_pages(self, rendering: Rendering) -> None:
        if rendering.due_at is not None and time.monotonic() >= rendering.due_at:
            paths = rendering.hurry()
            if paths:
                self._tell(HappeningKind.PAGES, "pages written", paths=tuple(paths))
        if rendering.is_done():
            self._tell(HappeningKind.PAGES, "pages written")
        self.health.page_failure = rendering.problem
        if rendering.due_at is None:
            rendering.start()

    def _note_mode(self) -> None:
        assert self._opened is not None
        watch = self._opened.watch
        if (watch.mode, watch.why) != (self.health.mode, self.health.why) and self.health.looks:
            self._tell(HappeningKind.HEALTH, f"now by {watch.mode}" + (f": {watch.why}" if watch.why else ""))
        self.health.mode, self.health.why = watch.mode, watch.why
        pace = POLL_SECONDS if watch.mode == POLLING else RESCAN_SECONDS
        self._agenda = self._agenda.with_pace(pace, time.monotonic())
        facts = {"since": format_instant(self.health.since), "version": __version__, "mode": watch.mode}
        self._opened.single.tell({**facts, "page": self.health.page})

    def _note_overflows(self, opened: Opened) -> None:
        if opened.watch.overflows > self.health.overflows:
            self._tell(HappeningKind.HEALTH, "more happened at once than events tell of: everything was looked at")
        self.health.overflows = opened.watch.overflows

    # serving --------------------------------------------------------------------------------

    def _serve(self, opened: Opened) -> None:
        for connection, asked in opened.serving.requests():
            if asked.kind == line.FOLLOW:
                connection.is_following = True
                opened.serving.send(connection, line.frame(line.ACCEPTED))
                continue
            if asked.kind == line.RUN:
                opened.serving.send(connection, line.frame(line.ACCEPTED))
            frames = answered(self, opened, asked, self._answering)
            opened.serving.end(connection, frames)
            if asked.kind == line.RUN:
                commits = opened.looking.follow()
                for each in announcing.commits(commits, self.clock.now()):
                    self._publish(each)
                opened.rendering.want(commits, time.monotonic(), at_once=False)

    # telling --------------------------------------------------------------------------------

    def _tell(self, kind: HappeningKind, text: str, *, paths: tuple[str, ...] = ()) -> None:
        self._publish(Happening(kind=kind, at=self.clock.now(), revision=self.health.revision, paths=paths, text=text))

    def _publish(self, happening: Happening) -> None:
        self.hub.tell(happening)
        if self._opened is not None:
            self._opened.serving.tell_followers(as_json(happening))
        if happening.kind not in (HappeningKind.PAGES, HappeningKind.DUE):
            self._tell_line(f"{happening.kind}: {happening.text}")

    def _tell_line(self, text: str) -> None:
        self._say(f"{format_instant(self.clock.now())} {text}")


def as_json(happening: Happening) -> dict[str, Any]:
    """A happening as followers get it."""
    return {
        "kind": happening.kind.value,
        "at": format_instant(happening.at),
        "revision": happening.revision,
        "paths": list(happening.paths),
        "text": happening.text,
    }
