"""The command line."""

from .compare import main

__all__ = ["main"]
