"""What `pyproject.toml` cannot say: the compiled weights, which the package does without if need be."""

import os
import pathlib
import sys

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel

WEIGHTS = pathlib.Path("river_trapezoid/weights")
# Written in Cython, and rules whose types are in a `.pxd` beside.
SOURCES = [
    *sorted(WEIGHTS.glob("compiled/*.pyx")),
    *sorted(
        WEIGHTS / f"{path.stem}.py"
        for path in WEIGHTS.glob("compiled/*.pxd")
        if not path.with_suffix(".pyx").exists()
    ),
]

try:
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    extensions = cythonize(
        [
            Extension(
                f"river_trapezoid.weights.compiled.{source.stem}",
                [source.as_posix()],
                # A multiplication and an addition fused into one operation would round once, not
                # twice.
                extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"],
            )
            for source in SOURCES
        ],
        # A C file is not known to depend on the `.pxd` files that a rule's own one imports.
        force=True,
    )
    for extension in extensions:
        # Said here, as `cythonize` forgets it.
        extension.optional = True


class Wheel(bdist_wheel):
    """A wheel that is tagged by what it holds: compiled weights or none."""

    def get_tag(self):
        """Look, once everything has been built, whether there is anything compiled."""
        compiled = {path.suffix for path in pathlib.Path(self.bdist_dir).rglob("sparse.*")}
        self.root_is_pure = not compiled & {".so", ".pyd"}
        return super().get_tag()


setup(
    ext_modules=extensions,
    cmdclass={"bdist_wheel": Wheel},
    options={"build_ext": {"parallel": os.cpu_count()}},
)
