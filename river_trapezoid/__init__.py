"""Online learning while the feature space changes: a plugin for River.

The sub-packages carry the names a River user already knows, and are imported on their own:
`from river_trapezoid import linear_model`.
"""

__version__ = "0.1.0"
