# To a type checker, the compiled rule is the pure one.
from .passive_aggressive import PassiveAggressive as PassiveAggressive
