# To a type checker, the compiled base is the pure one.
from .passive_aggressive import PassiveAggressive as PassiveAggressive
