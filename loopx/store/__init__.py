"""The room that keeps things: commits in Git (or in memory), one lock a workspace, and a disposable cache.

The workspace is its only caller. It knows bytes, paths, commits and references; it knows neither YAML nor rules, and
decides nothing. The contract is :mod:`loopx.store.protocol`.
"""
