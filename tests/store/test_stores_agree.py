"""The Git store and the memory store, given the same changes, tell the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx.store.git.setup import create
from loopx.store.memory import MemoryStore
from tests.store.building import Changes, git, land
from tests.support.clock import FakeClock

NAMES = st.sampled_from(["a", "a.b", "a-b", "b", "é", "中"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
CONTENTS = st.one_of(st.none(), st.sampled_from([b"", b"1", b"2\n"]))


def fits_together(changes: Changes) -> bool:
    """Whether no path with a content lies below another."""
    kept = [path for path, content in changes.items() if content is not None]
    return not any(other.startswith(f"{path}/") for path in kept for other in kept)


STEPS = st.lists(st.dictionaries(PATHS, CONTENTS, max_size=5).filter(fits_together), min_size=1, max_size=5)


@settings(max_examples=25)
@given(STEPS)
def test_any_changes_lead_both_stores_to_the_same_files_differences_and_digests(steps: list[Changes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".loopx"
        real, model = create(root, clock=FakeClock(), durable=False), MemoryStore(clock=FakeClock())
        try:
            pairs = [(land(real, step).oid, land(model, step).oid) for step in steps]
            for mine, other in pairs:
                files = list(real.listing(mine))
                assert files == list(model.listing(other))
                assert real.tree_digest(mine, [each.path for each in files]) == model.tree_digest(
                    other, [each.path for each in files]
                )
            (first, first_model), (last, last_model) = pairs[0], pairs[-1]
            assert real.compare(first, last) == model.compare(first_model, last_model)
            assert real.fsck() == []
            # The index went through every step by hand; Git finds it equal to the last tree.
            assert git(root, "diff-index", "--cached", "--name-only", "HEAD") == ""
        finally:
            real.close()
