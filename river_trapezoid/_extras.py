from __future__ import annotations

__all__ = ["install"]


def install(extra: str, options: str = "") -> str:
    """The command that installs an extra of this package, from its checkout.

    Parameters
    ----------
    extra
        The extra.
    options
        Options of the command.

    Examples
    --------
    >>> install("plot")
    'in the checkout of river-trapezoid, run: pip install -e ".[plot]"'

    """
    return f'in the checkout of river-trapezoid, run: pip install {options}-e ".[{extra}]"'
