"""The weights in C: the rules of the folder above, compiled, and what they need of C.

A `.pxd` gives the types of the rule of the same name. `_feature_table`, `_rows` and `_exact_sum` are
written in Cython; their interpreted twins in the folder above have the same names.
"""

import importlib
from types import ModuleType

__all__ = ["MODULES", "load"]

MODULES = (
    *("_exact_sum", "_feature_table", "_rows"),
    *("transactions", "sparse", "passive_aggressive", "moments"),
    *("link", "mixture", "categories", "_asked", "_pair_table", "evidence"),
)


def load() -> dict[str, ModuleType]:
    """Import all compiled modules.

    Raises
    ------
    ImportError
        If one of them is missing or does not fit the others.

    """
    modules = {}
    for name in MODULES:
        try:
            modules[name] = importlib.import_module(f"{__name__}.{name}")
        except ImportError:
            raise
        # What a module raises that was built from other sources than the rest depends on the change.
        except Exception as error:
            raise ImportError(f"{name}: {error}") from error
    return modules
