"""Interrupts of a call at each point where the interpreter can deliver them."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any


def interrupted(model: Any, call: Callable[[Any], None], modules: tuple[str, ...]) -> Iterator[Any]:
    """Yield copies of a model, each with the call interrupted one bytecode later than before.

    Only code of the given modules is interrupted. For the last copy, the call is complete.

    """
    state = pickle.dumps(model)
    point = 0
    while True:
        twin = pickle.loads(state)
        left = point

        def trace(frame, event, arg):
            nonlocal left
            if frame.f_globals.get("__name__") not in modules:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                if left == 0:
                    raise KeyboardInterrupt
                left -= 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            call(twin)
            return
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
            yield twin
        point += 1
