"""The live page's views, as HTML: the same facts as on the pages, with links and forms that a server answers.

Pure like every page: :mod:`~loopx.projections.live.views` turns facts into text and decides nothing. The server that
answers is :mod:`loopx.web`.
"""
