"""The loop engine: carries a plan's steps, has them judged, and recovers. It writes files only through ``workspace``.

Where to look:

- ``engine`` goes from boundary to boundary: ``boundary`` says what comes next, ``scheduling`` and ``choosing`` which
  steps begin, ``acting`` carries one out, ``judging`` has it judged, ``failing`` says what went wrong, ``recovering``
  what is done about it; ``beginning``, ``awaiting``, ``answering``, ``resuming``, ``leaving`` and ``ending`` are the
  moments their names say.
- ``state``, ``plan``, ``step``, ``attempt``, ``failure``, ``trace`` and ``result`` are what a run knows; ``lifecycle``
  is the one place that moves any of it, by the tables of ``kernel.plans``.
- ``components`` act, judge, verify and plan; ``recovery`` chooses and carries out the eleven strategies.
- ``keeping`` keeps a run in a workspace and on this machine, and asks people by Gates.
- ``work`` carries out a Todo: decision, Lease, turn, engine, writeback. ``loopx run`` begins there.
- ``plans`` reads, checks and edits plans as people and agents propose them.
- ``in_memory`` runs a plan of Python callables and keeps nothing.

Nothing is imported before it is used: most commands need none of it.
"""
