"""Programs in a terminal of their own, none of which is waited for without a limit."""

from __future__ import annotations

import pathlib
import signal
import sys
import time

import pexpect

ROOT = pathlib.Path(__file__).parents[2]
SECONDS = 60


def started(*arguments):
    """The command line in a terminal, as a person starts it."""
    return pexpect.spawn(
        sys.executable,
        ["-m", "river_trapezoid", *map(str, arguments)],
        cwd=str(ROOT),
        encoding="utf-8",
        timeout=SECONDS,
        dimensions=(24, 80),
        preexec_fn=_with_default_signals,
    )


def ended(terminal):
    """Wait for the end of a program that has been told to end."""
    deadline = time.monotonic() + SECONDS
    while terminal.isalive():
        assert time.monotonic() < deadline, f"it has not ended after {SECONDS} seconds"
        time.sleep(0.01)
    terminal.close()


def _with_default_signals():
    # Under `nohup`, and in the background of a script, children inherit that these are ignored.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
