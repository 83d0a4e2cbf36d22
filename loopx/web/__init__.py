"""The live page: the workspace in a browser on this machine, kept up to date, where a person can also answer.

:func:`loopx.web.app.serve` starts it; what happens reaches it through a :class:`loopx.web.hub.Hub`. It decides nothing,
and every write is the same command of the kernel that the command line would submit.
"""
