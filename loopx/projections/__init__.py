"""Pages and terminal views: facts about one workspace, and how they are told.

:mod:`~loopx.projections.facts` says what may be known, :func:`~loopx.projections.pages.render` turns it into every page
under ``status/``. Pure: nothing here reads a file, asks the time or decides. Import the modules by name: the pages load
the template engine and the Markdown parser, the facts load nothing.
"""
