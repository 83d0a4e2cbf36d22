"""Writes the pages that would go stale if people wrote them: ``docs/reference`` and ``schemas``, both from the package.

Run ``python -m docs.generate`` in the project's root. Nothing in ``loopx`` imports this.
"""
