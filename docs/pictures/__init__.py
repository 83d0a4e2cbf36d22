"""Pictures of the pages, taken of a workspace with a good deal in it: ``python -m docs.pictures``.

They are looked at by people, to judge the pages, and the few in this folder illustrate the documents. No test compares
them: fonts and browsers differ from machine to machine.
"""
