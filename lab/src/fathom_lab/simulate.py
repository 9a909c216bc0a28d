"""How often the lab is right, and after how many rounds: simulated on machines with known noise (stats/noise.py).

The same seed gives the same figures. Each comparison is one row alone, with one value per launch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from fathom_lab.analysis import verdict
from fathom_lab.experiment import Measure, Plan
from fathom_lab.rows import Verdict
from fathom_lab.stats import anytime, noise
from fathom_lab.stats.comparison import compare
from fathom_lab.stats.effect import Chance, once, rounds_needed

FIXED = 20  # rounds of the plan that is compared with
EFFECT = 0.03
CLEAR = 0.3
_SEED = 31
_TIME = Measure("time")


@dataclasses.dataclass(frozen=True)
class Ended:
    """A comparison whose rounds went on until it was decided."""

    verdict: Verdict
    rounds: int


@dataclasses.dataclass(frozen=True)
class Simulated:
    """All comparisons under one kind of noise. The contender is slower by nothing, by 3 % or by 30 %."""

    model: str
    equal: Sequence[Ended]
    slower: Sequence[Ended]
    clearly: Sequence[Ended]
    equal_fixed: Sequence[Verdict]  # after 20 rounds, looked at once
    slower_fixed: Sequence[Verdict]


def simulate(
    comparisons: int, rounds: int, on_progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Simulated]:
    """Makes this many comparisons of each kind, with at most this many rounds each, under every kind of noise."""
    found = []
    for done, model in enumerate(noise.MODELS):
        on_progress(done, len(noise.MODELS))
        equal, slower, clearly = (_pairs(model, comparisons, rounds, effect) for effect in (0.0, EFFECT, CLEAR))
        found.append(Simulated(
            model, list(map(decided, equal)), list(map(decided, slower)), list(map(decided, clearly)),
            [_verdict(one[:FIXED], once) for one in equal], [_verdict(one[:FIXED], once) for one in slower],
        ))
    return found


def decided(values: noise.Array) -> Ended:
    """Looks at the values of contender and baseline, an array of rounds x 2, after each round until there is a
    verdict."""
    for rounds in range(rounds_needed(1, chance=anytime.chance), len(values) + 1):
        ruled = _verdict(values[:rounds], anytime.chance)
        if ruled is not Verdict.UNKNOWN:
            return Ended(ruled, rounds)
    return Ended(Verdict.UNKNOWN, len(values))


def table(simulated: Sequence[Simulated]) -> str:
    """A table in Markdown. Rounds are the median and, in parentheses, the number that suffices for 90 % of the runs."""
    head = ["noise", "equal: called different", "called equal", "rounds", "3 % slower: found", "rounds",
            "30 % slower: rounds", f"{FIXED} rounds: equal called different", "3 % found"]
    rows = [
        [
            one.model.replace("_", " "), _different(_verdicts(one.equal)), _share(_verdicts(one.equal), Verdict.SAME),
            _rounds(one.equal), _share(_verdicts(one.slower), Verdict.SLOWER), _rounds(one.slower),
            _rounds(one.clearly), _different(one.equal_fixed), _share(one.slower_fixed, Verdict.SLOWER),
        ]
        for one in simulated
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def _pairs(model: str, comparisons: int, rounds: int, effect: float) -> noise.Array:
    """comparisons x rounds x 2: the contender, then the baseline."""
    rng = np.random.default_rng(_SEED)
    pair = noise.pairs(noise.MODELS[model], rng, comparisons, rounds, effect=effect)
    return np.concatenate(pair, axis=2)


def _verdict(values: noise.Array, chance: Chance) -> Verdict:
    compared = compare(values[:, 0].tolist(), values[:, 1].tolist(), chance)
    return verdict(_TIME, compared, compared.p_value, Plan().tolerance)


def _verdicts(ended: Sequence[Ended]) -> list[Verdict]:
    return [one.verdict for one in ended]


def _different(verdicts: Sequence[Verdict]) -> str:
    wrong = sum(one in (Verdict.FASTER, Verdict.SLOWER) for one in verdicts)
    return f"{100.0 * wrong / len(verdicts):.1f} %"


def _share(verdicts: Sequence[Verdict], wanted: Verdict) -> str:
    return f"{100.0 * verdicts.count(wanted) / len(verdicts):.0f} %"


def _rounds(ended: Sequence[Ended]) -> str:
    rounds = [one.rounds for one in ended]
    return f"{np.median(rounds):.0f} ({np.quantile(rounds, 0.9, method='higher'):.0f})"
