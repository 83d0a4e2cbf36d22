"""Ids and slugs: one charset rule, used when a file is loaded and when one is written.

Goals are slugs a person chooses. Everything else has a random id: prefix, dash, eight or more characters of Crockford's
base32 in lower case (no i, l, o, u), never all digits, never something YAML reads as a number.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
RANDOM_LENGTH = 8
_DERIVED_LENGTH = 12

TODO, GATE, EVIDENCE, OPERATION, REVISION, WORKSPACE = "t", "g", "e", "op", "r", "w"
TURN, EFFECT, HANDOFF, PROPOSAL, KEY, RUN = "turn", "x", "h", "p", "k", "run"

GOAL_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
TODO_PATTERN = rf"^t-[{ALPHABET}]{{4,26}}$"
GATE_PATTERN = rf"^g-[{ALPHABET}]{{4,26}}$"
EVIDENCE_PATTERN = rf"^e-[{ALPHABET}]{{4,26}}$"
TURN_PATTERN = rf"^turn-[{ALPHABET}]{{4,26}}$"
EFFECT_PATTERN = rf"^x-[{ALPHABET}]{{4,26}}$"
HANDOFF_PATTERN = rf"^h-[{ALPHABET}]{{4,26}}$"
PROPOSAL_PATTERN = rf"^p-[{ALPHABET}]{{4,26}}$"
RUN_PATTERN = rf"^run-[{ALPHABET}]{{4,26}}$"
STEP_PATTERN = r"^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$"
REVISION_PATTERN = rf"^r-[{ALPHABET}]{{4,26}}$"
AGENT_PATTERN = r"^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$"
CRITERION_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
OPERATION_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,126}$"

_FOLDED = frozenset({TODO, GATE, EVIDENCE, REVISION, TURN, EFFECT, HANDOFF, PROPOSAL, RUN})
_CROCKFORD = str.maketrans({"i": "1", "l": "1", "o": "0"})
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))})


def is_random_part(text: str) -> bool:
    """Whether ``text`` may stand after an id's prefix: not all digits, and nothing YAML takes for a number (1e5)."""
    return not re.fullmatch(r"[0-9]+|[0-9]+e[0-9]+", text)


def derived(prefix: str, seed: str) -> str:
    """The id that stands for ``seed``: the same one however often it is asked for, so that a request made again with
    the same operation id asks for the same."""
    number = int.from_bytes(sha256(seed.encode()).digest(), "big")
    rest = "".join(ALPHABET[number >> 5 * place & 31] for place in range(_DERIVED_LENGTH))
    return f"{prefix}-{rest}" if is_random_part(rest) else derived(prefix, f"{seed}'")


def folded(text: str) -> str:
    """An id as it is compared: trimmed, lower case, full-width forms narrowed, Crockford's look-alikes mapped.

    Only the random part is mapped; a goal's slug or an agent's name is only trimmed and lowered.
    """
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    prefix, dash, rest = plain.partition("-")
    if dash and prefix in _FOLDED and " " not in rest:
        return f"{prefix}-{rest.translate(_CROCKFORD)}"
    return plain


def slug(title: str, limit: int = 40) -> str:
    """A safe piece of a file name for ``title``: ASCII letters, digits and dashes, or ``""`` when nothing is left.

    Made once, when the file is made; it never follows the title.
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    cut = words[:limit].rstrip("-")
    return f"{cut}-x" if cut in _RESERVED else cut


def normalised_title(title: str) -> str:
    """A title as two titles are compared: NFKC, case-folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())
