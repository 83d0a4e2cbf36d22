"""Signed commits, made by Git itself with the program the person configured.

Called by the writer when ``commit.gpgsign`` is on in the repository's own settings. A signature that cannot be had is
an error; the commit is never made without one.
"""

from __future__ import annotations

from collections.abc import Sequence

from loopx.errors import LoopxError
from loopx.store.git.commits import message_bytes, person, seconds_of
from loopx.store.git.programs import Programs
from loopx.store.protocol import Draft, Oid, Signature


def signed_commit(programs: Programs, draft: Draft, tree: Oid, parents: Sequence[Oid], seconds: float) -> Oid:
    """Make a signed commit; returns its oid. Raises ``signing-failed``, also after ``seconds`` without a signature."""
    above = [argument for parent in parents for argument in ("-p", parent)]
    try:
        answer = programs.run(
            "sign a commit",
            *("commit-tree", "-S", *above, "-F", "-", tree),
            given=message_bytes(draft.message),
            seconds=seconds,
            environment={**_people(draft), **_dates(draft)},
        )
    except LoopxError as error:
        # A signing program that may not be run looks to Git like any other refused file.
        if error.code not in ("git-failed", "disk-refused"):
            raise
        raise LoopxError("signing-failed", _reason(error), facts=error.problem.facts) from error
    return answer.output.decode().strip()


def _reason(error: LoopxError) -> str:
    return f"The commit was not made, because it could not be signed. {error.problem.message}"


def _people(draft: Draft) -> dict[str, str]:
    return {**_person("AUTHOR", draft.author), **_person("COMMITTER", draft.committer)}


def _person(role: str, signature: Signature) -> dict[str, str]:
    name, _, email = person(signature).removesuffix(">").partition(" <")
    return {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}


def _dates(draft: Draft) -> dict[str, str]:
    stamp = f"@{seconds_of(draft.at)} +0000"
    return {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
