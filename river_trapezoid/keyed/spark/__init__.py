"""One model per key on Spark Structured Streaming.

PySpark and Java must be installed. The package can be imported without them; its functions then raise
an error that names what is missing.
"""

from ._learn import learn_by_key
from ._session import local_session
from ._states import read_states

__all__ = ["learn_by_key", "local_session", "read_states"]
