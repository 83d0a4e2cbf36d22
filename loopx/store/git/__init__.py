"""The Git store: objects written by hand, references moved by compare-and-swap, Git's own programs for the rest.

:mod:`loopx.store.git.repository` is the way in; :mod:`loopx.store.git.setup` makes a repository;
:mod:`loopx.store.git.maintenance` looks after it.
"""
