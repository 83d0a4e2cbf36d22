"""Hand edits: what a person typed into a file, or somebody committed with Git, judged by the rules of the commands.

The workspace calls :func:`decide_hand` for every changed document. A file is accepted as a whole or refused as a whole,
and a refusal says where in it.
"""

from loopx.kernel.hand.deciding import decide_hand
from loopx.kernel.hand.edit import HandEdit

__all__ = ["HandEdit", "decide_hand"]
