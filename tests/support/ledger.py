"""Steps that leave a line outside their write scopes whenever they do something, and what those lines must say.

The scripts run in the project's folder; the ledger lies beside it. Killing happens from within: where a file
``before-STEP`` or ``after-STEP`` lies there, the step reads it once as a piece of shell; its judge, ``judging-STEP``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from loopx.model.plan import Action, Judge, JudgeKind, PlanStep
from loopx.model.step import Resumption

LEDGER = "ledger"
_BLOW = 'if [ -f "../{when}-$LOOPX_STEP" ]; then mv "../{when}-$LOOPX_STEP" ../blown; . ../blown; fi'
_SCRIPT = "; ".join(
    (
        f'echo "began $LOOPX_ATTEMPT" >> ../{LEDGER}',
        _BLOW.format(when="before"),
        'mkdir -p out && echo "$LOOPX_STEP" > "out/$LOOPX_STEP"',
        f'echo "did $LOOPX_ATTEMPT" >> ../{LEDGER}',  # last: what a probe finds is there whole
        _BLOW.format(when="after"),
        f'echo "ended $LOOPX_ATTEMPT" >> ../{LEDGER}',
    )
)
_PROBE = f'grep -q "^did [^/]*/$LOOPX_STEP/" ../{LEDGER}'
_JUDGE = f'{_BLOW.format(when="judging")}; test -f "out/$LOOPX_STEP"'
RUNNER = "$(cut -d' ' -f4 /proc/$PPID/stat)"
KEEPER = "$PPID"
ACTOR = "$$"


def lasting(identity: str, recover: Resumption, *after: str) -> PlanStep:
    """A step whose effect is on the ledger."""
    probe = ("sh", "-c", _PROBE) if recover is Resumption.PROBE else None
    action = Action(argv=("sh", "-c", _SCRIPT), recover=recover, probe=probe, timeout_seconds=600)
    return PlanStep(
        id=identity,
        title=f"Do {identity}",
        action=action,
        depends_on=after,
        write_scopes=(f"out/{identity}",),
        verify=(Judge(kind=JudgeKind.COMMAND, argv=("sh", "-c", _JUDGE)),),
    )


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the steps of one run did."""

    lines: tuple[tuple[str, str], ...]
    """What was said, and by which execution."""

    @classmethod
    def read(cls, folder: Path) -> Ledger:
        path = folder / LEDGER
        rows = path.read_text().splitlines() if path.exists() else []
        return cls(tuple((word, attempt) for word, _, attempt in (each.partition(" ") for each in rows)))

    def said(self, word: str) -> set[str]:
        return {attempt for each, attempt in self.lines if each == word}

    def times(self, step: str) -> int:
        """How often the step took effect."""
        return sum(word == "did" and attempt.split("/")[1] == step for word, attempt in self.lines)

    def assert_never_beside_itself(self) -> None:
        """No execution took place twice, and none began before the one before it was over: what one that has not come
        to its end says after a later one has begun, it says beside it."""
        twice = [line for line, number in Counter(self.lines).items() if number > 1]
        assert twice == [], f"done twice: {twice}"
        newest: dict[str, str] = {}
        for _, attempt in self.lines:
            step = attempt.split("/")[1]
            number = int(attempt.split("/")[2])
            assert number >= int(newest.get(step, "0")), f"{attempt} went on beside {newest[step]}: {self.lines}"
            newest[step] = str(number)
