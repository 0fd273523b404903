# To a type checker, the compiled moments are the pure ones.
from .moments import FeatureMoments as FeatureMoments
