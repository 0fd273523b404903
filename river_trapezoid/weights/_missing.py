from __future__ import annotations

import importlib.metadata
import pathlib
import warnings

__all__ = ["warn"]

_SUFFIXES = {".so", ".pyd"}


def warn(error: ImportError) -> None:
    """Warn that there are no compiled weights, with the reason and the cost."""
    warnings.warn(
        f"river_trapezoid uses its pure Python weights, with which learners are 10 to 80 times "
        f"slower: {_reason(error)}. Set RIVER_TRAPEZOID_PURE=1 if that is what you want.",
        stacklevel=5,
    )


def _reason(error: ImportError) -> str:
    here = pathlib.Path(__file__).parent
    if _extensions(here):
        return f"the compiled ones cannot be loaded ({error}); install the package again"
    try:
        files = importlib.metadata.files("river-trapezoid") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        folder = pathlib.Path(str(file.locate())).parent
        if file.suffix in _SUFFIXES and folder.name == "compiled" and folder != here / "compiled":
            return (
                f"the source tree {here.parents[1]} shadows the installed package, which has "
                'compiled ones; run from another folder, or install it in place (pip install -e ".")'
            )
    return (
        "the package was installed without a C compiler, or has not been installed; install a "
        "compiler, and then the package again"
    )


def _extensions(folder: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in folder.glob("compiled/*") if path.suffix in _SUFFIXES]
