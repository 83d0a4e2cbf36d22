"""``loopx demo``: the main job end to end on a fresh real project, each step really carried out and told as it happens.

:mod:`story` is what happens, :mod:`stage` is where it happens, :mod:`beats` is how it is told.
"""
