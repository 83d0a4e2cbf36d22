"""The loop engine: carries a plan's steps, has them judged, and recovers. It writes files only through ``workspace``.

Nothing is imported before it is used: most commands need none of it.
"""
