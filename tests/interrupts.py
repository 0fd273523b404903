"""Interrupts of a call, one at each point where the interpreter could deliver them."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any


def interrupted(model: Any, call: Callable[[Any], None], modules: tuple[str, ...]) -> Iterator[Any]:
    """Yield copies of a model, each with the call interrupted one bytecode later than the last.

    Interrupts happen in code of the given modules only. The last copy is that of a whole call.

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
