"""What no text that travels may hold: credentials, ever; machine paths and private links, where others read along.

Asked for handoffs, proposals, evidence and turns. A refusal names the field and the sort of thing, never the thing.
This is a net for accidents, not a scanner to rely on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loopx.kernel.refusal import Refused
from loopx.kernel.state import State
from loopx.kernel.wording import refuse

_CREDENTIALS = (
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    (
        "an access token",
        r"\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_|xox[abprs]-|ya29\.)(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}",
    ),
    ("an API key", r"\b(?:sk|rk|pk)[-_](?:(?:live|test|ant|proj)[-_])?(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}"),
    ("a cloud key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}"),
    ("a signed token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"),
    ("a bearer token", r"(?P<kept>(?i:\bbearer\s+))(?=[^\s\"']*[0-9])[A-Za-z0-9._~+/=-]{12,}"),
    ("a password in a link", r"(?P<kept>\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]+:)(?![$<{*%])[^\s/@]+@"),
    (
        "a password or secret",
        r"(?P<kept>(?i:\b(?:[a-z0-9]+_)*(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key)\b)"
        r"[\"']?\s*[:=]\s*[\"']?)(?![$<{*%])(?=[^\s\"']*[0-9])[^\s\"',;]{6,}",
    ),
)
"""What looks like a credential. After ``password:`` only a value with a digit counts, so that prose may use the word;
``$NAME``, ``<name>`` and ``***`` stand for one and hold none."""

CREDENTIAL_HINTS = (
    *("private key-----", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "pypi-", "hf_"),
    *(
        "xox",
        "ya29.",
        "sk-",
        "sk_",
        "rk-",
        "rk_",
        "pk-",
        "pk_",
        "akia",
        "asia",
        "aiza",
        "eyj",
        "bearer",
        "://",
        "password",
    ),
    *("passwd", "pwd", "secret", "token", "key"),
)
"""Whatever looks like a credential has one of these in it, in small letters."""
_WHOLE_KEY = (
    r"(?:-----BEGIN [A-Z ]*PRIVATE KEY-----|\A)(?:(?!-----BEGIN )[\s\S])*?-----END [A-Z ]*PRIVATE KEY-----"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*"
)
"""A key with all its lines, also where its beginning or its end was cut off."""
CREDENTIAL_PATTERNS = (_WHOLE_KEY, *(pattern for _, pattern in _CREDENTIALS))
"""What is put out of sight, but for a group ``kept``, in texts that are kept as they came: the output of programs."""

_PRIVATE = (
    (
        "a path of this machine",
        r"(?<![\w.:/~-])(?:/(?:home|Users|root|tmp|var|etc|opt|usr|mnt|srv|media|private|Volumes)/[^\s]|~/[^\s]"
        r"|[A-Za-z]:\\[^\s]|\\\\[\w.-]+\\)|\bfile:/",
    ),
    (
        "a link only some can follow",
        r"\b(?:https?|wss?|ssh|git)://(?:[^\s/@]*@)?(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\."
        r"|\[?::1\]?|[\w-]+(?=[:/\s]|$)"
        r"|[\w.-]+\.(?:local|internal|corp|lan|intranet|localdomain|home\.arpa)(?=[:/\s]|$))",
    ),
)

_WORD = re.compile(r"[^\s\"'`<>(),;]*[^\s\"'`<>(),;:.!?]")
_IN_A_PATH = frozenset("/.")
"""What may be a path in a sentence: a word without the marks around it that has one of these characters."""

_CREDENTIAL_FORMS = tuple((name, re.compile(pattern)) for name, pattern in _CREDENTIALS)
_PRIVATE_FORMS = tuple((name, re.compile(pattern)) for name, pattern in _PRIVATE)


def bad_text(text: str | None, field: str, is_shared: bool) -> Refused | None:
    """The refusal of a text of ``field`` that holds a credential or, where ``is_shared``, something private."""
    if not text:
        return None
    found = next((name for name, form in _CREDENTIAL_FORMS if form.search(text)), None)
    if found is not None:
        return refuse("text-credential", f"{field} holds what looks like {found}.", field=field)
    found = next((name for name, form in _PRIVATE_FORMS if form.search(text)), None) if is_shared else None
    if found is not None:
        return refuse("text-private", f"{field} holds {found}, and this workspace is shared.", field=field)
    return None


def bad_texts(texts: Iterable[tuple[str, str | None]], is_shared: bool) -> Refused | None:
    """The first refusal among pairs of field name and text."""
    return next((found for field, text in texts if (found := bad_text(text, field, is_shared))), None)


def names_private(texts: Iterable[tuple[str, str | None]], paths: Sequence[str]) -> Refused | None:
    """The refusal of a text that names one of the ``paths`` (patterns) a Goal keeps private."""
    if not paths:
        return None
    from loopx.kernel.scopes import covers

    for field, text in texts:
        if any(covers(paths, word) for word in _WORD.findall(text or "") if _IN_A_PATH & set(word)):
            return refuse("text-private", f"{field} names a path this Goal keeps private.", field=field)
    return None


def is_shared(state: State) -> bool:
    """Whether others than its owner read this workspace."""
    config = state.config()
    return config is not None and config.policies.shared
