from __future__ import annotations

__all__ = ["Failure"]


class Failure(Exception):
    """The end of a command: one line, and the status to exit with.

    Parameters
    ----------
    message
        What has happened, and what to do.
    exit_code
        1 if the data are at fault, 2 if the arguments are, 130 for an interrupt.

    """

    def __init__(self, message: str, exit_code: int):
        super().__init__(message)
        self.exit_code = exit_code

    def format_message(self) -> str:
        """The message, as Typer's own errors give it."""
        return str(self)
