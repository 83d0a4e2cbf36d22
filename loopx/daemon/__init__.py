"""When do we look again, beside an editor that nobody tells us about. Decides nothing: changes go through a pass.

The way of the data, once around::

    watch ─► agenda ─► looking ─► announcing ─► hub ─► followers, the log, the live page
      (something     (when is      (one look:      (what a person
       happened)      the next      take in what    is told of it)
                      look)         was typed)
                        ▲              │
    duties ─────────────┘              └─► pages, by a process of their own
      (when something falls due)

    a command ─► line ─► serving ─► the command line's own code, against the open workspace ─► line ─► its terminal

One thread of control, :mod:`running`, waits for the first of: an event, a request, a signal, an instant. Events only
ever mean *look again*; a slow rescan looks without one.

Pure, and tried without a process:

- :mod:`agenda`: when the next look is, out of events, doubts, failures and instants.
- :mod:`duties`: the next instant at which something falls due, out of the state.
- :mod:`announcing`: what is said after a look; nothing is said of a file before it holds still.
- :mod:`identity`: whether the process in a note is the one that wrote it.

Doing:

- :mod:`watch`: the system's events, folder by folder; polling where there are none.
- :mod:`looking`: one look at one workspace, its ground checked first; whatever goes wrong is an answer, never an end.
- :mod:`rendering`: pages by one process that stays.
- :mod:`single`: one daemon a workspace, by a lock the kernel releases, and a note about who it is.
- :mod:`line`: the words of the socket; also what the thin client of the command line speaks.
- :mod:`serving`: the socket's end in the daemon. What carries a command out is handed in by the command line.
- :mod:`hub`: happenings, to whoever listens in this process.
- :mod:`health`: what ``loopx daemon status`` shows.
- :mod:`logbook`: what is told when no terminal listens, within a size.
- :mod:`asking`: the other end: status, following.
- :mod:`service`: the unit file of a user service.
"""
