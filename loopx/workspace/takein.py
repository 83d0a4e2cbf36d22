"""Taking in hand edits: what a person typed and saved becomes accepted changes, or a refusal that names the place.

Runs inside a pass, before the command is decided. All of one file or none of it; independent files do not hold each
other up. A file that is refused stays as typed and is *held*: nothing of this pass replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from datetime import timedelta

from loopx.documents import adopt, read
from loopx.errors import LoopxError, Place, Problem
from loopx.kernel.outcome import Receipt
from loopx.model.actor import Actor, Origin
from loopx.model.clock import Clock
from loopx.model.defining import dataclass
from loopx.model.kind import Kind
from loopx.model.layout import WORKSPACE_FILE
from loopx.model.times import parse_instant
from loopx.store.protocol import Signature
from loopx.workspace import edits, held, late
from loopx.workspace.base import PREFIXES
from loopx.workspace.candidates import Candidate, match, parse
from loopx.workspace.displaced import displaced_problem, due
from loopx.workspace.droppings import is_conflict_copy
from loopx.workspace.judging import Judged, judge, judge_deletion, judge_displaced
from loopx.workspace.places import Places
from loopx.workspace.results import EditState
from loopx.workspace.scan import Scan, Sighting
from loopx.workspace.settle import ADOPTION_SECONDS, age_seconds, settled
from loopx.workspace.texts import apply_change
from loopx.workspace.work import Link, Work

_FEW_ABSENCES = 4
"""So many missing files are never taken for an accident."""
_ROUNDS = 4
"""How often files are judged again because another one of the same save was accepted."""
_KIND_ORDER = {kind: place for place, kind in enumerate((Kind.WORKSPACE, Kind.GOAL, Kind.GATE, Kind.VISION))}


@dataclass(slots=True)
class TakeIn:
    """One taking-in, within one pass."""

    work: Work
    places: Places
    clock: Clock
    person: Callable[[], tuple[Actor, Signature]]
    """Who the files belong to; raises ``identity-missing``."""
    confirmed: frozenset[str] = frozenset()
    """Paths a person accepts by name: deletions and returns to an old version."""
    accepted_by: Actor | None = None
    """Who accepts them; without a name, whose files they are."""
    is_hurried: bool = False
    """Whether to judge at once what would otherwise be left to settle (`edit accept`)."""
    is_patient: bool = True
    """Whether somebody wants to see what was typed, rather than to write beside it."""
    progress: Callable[[int, int], None] | None = None
    _done: list[Judged] = field(default_factory=list)

    def run(self, scan: Scan) -> Link | None:
        """Judge what ``scan`` saw; the commit of what was accepted joins the chain."""
        waiting = {each.path for each in edits.pending(self.work.cache)}
        seen = {each.path for each in scan.changed} | set(scan.absent) | self.work.on_disk.keys()
        for path in waiting - seen:
            self.work.cache.drop_pending(path)
        still, moving = (
            (scan.changed, []) if self.is_hurried else settled(self.places, self.clock, scan.changed, self._is_moving)
        )
        for each in moving:
            self._hold(each.path, each.content, EditState.SETTLING, [held.settling(each.path)])
        candidates = list(self._candidates(still))
        absent = {path for path in scan.absent if self.work.cache.entity_at(path) is not None}
        for path, home in match(self.work, candidates, absent).items():
            self._hold_candidate(_at(candidates, path), [held.duplicate(path, home)])
        taken = {each.home for each in candidates if each.home}
        candidates = [each for each in candidates if each.path not in self.work.held]
        self._judge_all(candidates)
        self._judge_absences(sorted(absent - taken))
        self._judge_displaced()
        return self._link()

    # candidates ------------------------------------------------------------------------------

    def _candidates(self, sightings: Iterable[Sighting]) -> Iterable[Candidate]:
        person = self._person_or_hold(sightings)
        if person is None:
            return
        waiting = late.noted(self.places)
        for each in sightings:
            problem = _unfit(each)
            if problem is not None or each.content is None:
                self._hold(each.path, each.content, EditState.REFUSED, [problem] if problem else [])
                continue
            self.work.on_disk[each.path] = each.content
            if waiting.get(each.path) == self.work.store.hash(each.content):
                self._hold(each.path, each.content, EditState.REFUSED, [held.late(each.path)])
                continue
            actor, origin = self._maker(each.path, self.work.store.hash(each.content), person)
            candidate = parse(each.path, each.content, actor, origin, each.modified_ns)
            if candidate.reading.problems:
                self._hold_candidate(candidate, list(candidate.reading.problems), EditState.UNREADABLE)
            elif self._is_too_young_to_adopt(candidate, each):
                self._hold_candidate(candidate, [held.settling(each.path)], EditState.SETTLING)
            else:
                yield candidate

    def _person_or_hold(self, sightings: Iterable[Sighting]) -> Actor | None:
        try:
            return self.person()[0]
        except LoopxError as error:
            for each in sightings:
                self._hold(
                    each.path, each.content, EditState.SETTLING, [replace(error.problem, place=Place(each.path))]
                )
            return None

    def _is_moving(self, sighting: Sighting) -> bool:
        """Whether a file somebody goes on saving need not be waited for, as it was noted with other contents before."""
        noted = self.work.cache.pending_at(sighting.path)
        if self.is_patient or noted is None or noted.state != EditState.SETTLING or sighting.content is None:
            return False
        return noted.content != self.work.store.hash(sighting.content)

    def _is_too_young_to_adopt(self, candidate: Candidate, sighting: Sighting) -> bool:
        needs_id = "id" in candidate.reading.missing and self.work.cache.entity_at(candidate.path) is None
        return needs_id and not self.is_hurried and age_seconds(sighting, self.work.now) < ADOPTION_SECONDS

    # judging ---------------------------------------------------------------------------------

    def _judge_all(self, candidates: list[Candidate]) -> None:
        """Judge every candidate; whenever some were accepted, judge the refused ones of this round again."""
        left = sorted(candidates, key=lambda each: (_KIND_ORDER.get(each.reading.kind, 9), each.path))
        total = len(left)
        for _ in range(_ROUNDS):
            refused: list[tuple[Candidate, list[Problem]]] = []
            for number, each in enumerate(left):
                judged = judge(self.work, self._adopted(each), accepted_by=self._whose_word(each))
                if isinstance(judged, Judged):
                    self._accept(judged)
                else:
                    refused.append((each, judged))
                if self.progress is not None and number % 100 == 99:
                    self.progress(len(self._done), total)
            if not refused or len(refused) == len(left):
                break
            left = [each for each, _ in refused]
        for each, problems in refused if left else []:
            self._hold_candidate(each, problems)
        if self.progress is not None:
            self.progress(total, total)

    def _whose_word(self, candidate: Candidate) -> Actor | None:
        """Who takes this very file in by name, if anybody does."""
        return (self.accepted_by or self.person()[0]) if candidate.path in self.confirmed else None

    def _adopted(self, candidate: Candidate) -> Candidate:
        """The candidate with the ids that a hand-made file lacks; the rest of its bytes as typed."""
        reading = candidate.reading
        if not reading.missing or candidate.home is not None:
            return candidate
        values = {key: self._identity(candidate, key) for key in reading.missing}
        entity = replace(reading.provisional, **values)  # type: ignore[type-var]
        content = adopt(candidate.path, candidate.content, values)
        # Remarks are about the file as it will stand, with the ids in it; refusals are about the file as typed.
        remarks = read(candidate.path, content).warnings if reading.warnings else ()
        reading = replace(reading, entity=entity, missing=(), warnings=remarks)
        return replace(candidate, content=content, reading=reading)

    def _identity(self, candidate: Candidate, key: str) -> str:
        location = candidate.reading.location
        if key == "agent":
            return location.name
        if location.todo:
            return location.todo if key == "todo" else location.name
        prefix = PREFIXES.get(candidate.reading.kind)
        return location.goal if prefix is None else self.work.fresh(prefix)

    def _accept(self, judged: Judged) -> None:
        self._done.append(judged)
        link = self._open_link(judged)
        candidate = judged.candidate
        if candidate is not None:
            self._place(link, candidate, judged)
        elif judged.path is not None:
            self.work.drop(link, judged.path)
            self.work.cache.drop_absence(judged.path)
        for change in judged.effects:
            apply_change(self.work, link, change)
        self.work.cache.drop_pending(judged.path or "")

    def _place(self, link: Link, candidate: Candidate, judged: Judged) -> None:
        assert judged.entity is not None
        assert judged.content is not None
        path = candidate.path
        if candidate.is_move:
            assert candidate.home is not None
            if "/archive/" in candidate.home:  # a stale save to the place it was archived from
                self._vacate(path)
                path = candidate.home
            else:
                self.work.drop(link, candidate.home)
                self.work.on_disk.setdefault(candidate.home, None)
        self.work.put(link, path, judged.content, judged.entity)

    def _vacate(self, path: str) -> None:
        """The file at ``path`` has been read into another document: it goes, by the same exchange as any other."""
        self.work.contents[path] = None
        self.work.original[path] = None

    def _judge_absences(self, absent: list[str]) -> None:
        total = self.work.cache.count_documents()
        share = self._mass_share()
        unconfirmed = [path for path in absent if path not in self.confirmed]
        is_mass = len(unconfirmed) > max(_FEW_ABSENCES, share * total)
        for path in absent:
            self.work.on_disk[path] = None
            folder = self.places.linked_folder(path)
            if folder is not None:
                self._hold(path, None, EditState.ABSENT, [held.linked(folder)])
            elif path not in self.confirmed and (is_mass or path == WORKSPACE_FILE):
                self._hold(path, None, EditState.ABSENT, [held.mass(path, len(unconfirmed), total)])
            elif path not in self.confirmed and self._was_committed(path):
                self._delete(path)  # judged once already: what it says now is what counts
            elif path not in self.confirmed and not self._is_long_absent(path):
                self._hold(path, None, EditState.ABSENT, [held.absent(path)])
            else:
                self._delete(path)
        for path in self.work.cache.absences():
            if path not in absent:
                self.work.cache.drop_absence(path)

    def _delete(self, path: str) -> None:
        try:
            actor, origin = self._maker(path, "", self.person()[0])
        except LoopxError as error:
            self._hold(path, None, EditState.ABSENT, [replace(error.problem, place=Place(path))])
            return
        judged = judge_deletion(self.work, path, actor)
        if isinstance(judged, Judged):
            self._accept(judged)
        else:
            self._hold(path, None, EditState.ABSENT, judged, str(actor) if origin is Origin.FOREIGN else "")

    def _maker(self, path: str, content: str, person: Actor) -> tuple[Actor, Origin]:
        """Whose edit this is: of whoever committed it with plain Git, unless the person takes it as theirs."""
        noted = "" if path in self.confirmed else edits.noted_actor(self.work.cache, path, content)
        return (Actor.parse(noted), Origin.FOREIGN) if noted else (person, Origin.HAND)

    def _was_committed(self, path: str) -> bool:
        """Whether the deletion of ``path`` came by a foreign commit, and was refused."""
        return bool(edits.noted_actor(self.work.cache, path, ""))

    def _is_long_absent(self, path: str) -> bool:
        first = self.work.cache.absences().get(path)
        if first is None:
            self.work.cache.add_absence(path, self.work.now.isoformat())
            return False
        return self.work.now - parse_instant(first) >= timedelta(seconds=ADOPTION_SECONDS)

    def _mass_share(self) -> float:
        config = self.work.state.config()
        return config.policies.mass_deletion_share if config else 0.3

    def _judge_displaced(self) -> None:
        """The second look at files that were exchanged a while ago: what was typed into them since is an edit."""
        for leftover in due(self.places, self.work.store, self.work.now, self._is_in_history):
            label = f"local/displaced/{leftover.file.name}"
            if leftover.step.path in self.work.held:
                continue
            try:
                actor = self.person()[0]
            except LoopxError:
                return
            candidate = parse(leftover.step.path, leftover.content, actor, Origin.HAND)
            candidate.home = candidate.path
            judged = (
                list(candidate.reading.problems)
                if candidate.reading.problems
                else judge_displaced(self.work, candidate, leftover.base)
            )
            if isinstance(judged, list):
                self._hold(label, leftover.content, EditState.DISPLACED, [displaced_problem(label, leftover, judged)])
                continue
            if judged is not None:
                self._accept(judged)
            self.work.cache.drop_pending(label)
            self.work.afterwards.append(leftover.drop)

    def _is_in_history(self, path: str, content: bytes) -> bool:
        return self.work.cache.has_version(path, self.work.store.hash(content))

    # holding ---------------------------------------------------------------------------------

    def _hold_candidate(
        self, candidate: Candidate, problems: list[Problem], state: EditState = EditState.REFUSED
    ) -> None:
        actor = str(candidate.actor) if candidate.origin is Origin.FOREIGN else ""
        self._hold(candidate.path, candidate.content, state, problems, actor)
        if candidate.home is not None:
            self.work.held.add(candidate.home)

    def _hold(
        self, path: str, content: bytes | None, state: EditState, problems: list[Problem], actor: str = ""
    ) -> None:
        """Leave ``path`` as typed, and note why."""
        self.work.held.add(path)
        oid = None if content is None else self.work.store.hash(content)
        edits.note(self.work.cache, path, oid, self.work.base, state, problems, self.work.now, actor)

    # the commit ------------------------------------------------------------------------------

    def _open_link(self, judged: Judged) -> Link:
        if self.work.links and self.work.links[-1].extra.get("Hand"):
            return self.work.links[-1]
        link = Link(judged.receipt, judged.headline, judged.body, self.person()[1], extra={"Hand": True})
        self.work.links.append(link)
        return link

    def _link(self) -> Link | None:
        """The commit of everything accepted: its message speaks of one edit, or sums up several."""
        if not self._done:
            return None
        link = self.work.links[-1]
        if len(self._done) > 1:
            link.receipt = _summary(self._done, link)
            link.headline = f"edit: {len(self._done)} documents by hand"
            link.body = "\n".join(each.headline for each in self._done[:100])
            if len(self._done) > 100:
                link.body += f"\nand {len(self._done) - 100} more"
        return link

    @property
    def accepted(self) -> int:
        """How many files were taken in."""
        return len(self._done)

    @property
    def notices(self) -> list[Problem]:
        """Things worth saying about what was accepted."""
        return [notice for judged in self._done for notice in judged.notices]


def _summary(done: list[Judged], link: Link) -> Receipt:
    first = done[0].receipt
    return replace(
        first,
        command="edit",
        subject=f"edit {len(done)}",
        goal="",
        result={"documents": len(done), "ids": link.ids[:20]},
    )


def _at(candidates: list[Candidate], path: str) -> Candidate:
    return next(each for each in candidates if each.path == path)


def _unfit(sighting: Sighting) -> Problem | None:
    place = Place(sighting.path)
    if sighting.is_link:
        return Problem("document-link", f"{sighting.path} is a symbolic link, not a file", place)
    if sighting.content is None:
        return Problem("file-failed", f"{sighting.path} cannot be read: {sighting.error}", place)
    if is_conflict_copy(sighting.path.rpartition("/")[2]):
        return Problem("document-conflict-copy", f"{sighting.path} looks like a copy a synchronising tool made", place)
    return None
