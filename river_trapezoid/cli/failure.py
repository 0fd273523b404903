from __future__ import annotations

__all__ = ["Failure"]


class Failure(Exception):
    """The end of a command: one line, and the status to exit with.

    Parameters
    ----------
    message
        What happened, and what to do about it.
    exit_code
        1 for an error in the data, 2 for an error in the arguments, 130 for an interrupt.

    """

    def __init__(self, message: str, exit_code: int):
        super().__init__(message)
        self.exit_code = exit_code

    def format_message(self) -> str:
        """Return the message, under the name that Typer expects."""
        return str(self)
