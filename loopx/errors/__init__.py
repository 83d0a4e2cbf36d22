"""What can go wrong, and what it is called.

"No" is a value (the kernel's ``Refused``), breakage is an exception (:class:`LoopxError`). Both carry a code from
:data:`CATALOGUE`, a one-sentence message, a place, a hint (the next thing to do) and facts. Every room raises through
here; this package imports nothing of loopx.
"""

from loopx.errors.catalogue import CATALOGUE, Entry, entry
from loopx.errors.exits import Exit
from loopx.errors.problem import LoopxError, Place, Problem

__all__ = ["CATALOGUE", "Entry", "Exit", "LoopxError", "Place", "Problem", "entry"]
