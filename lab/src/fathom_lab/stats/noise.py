"""Models of noisy machines, which disturb a time that is truly constant. Tests and `calibrate --simulate` use them to
show that the lab's rules hold.

A model returns factors around 1 in the order of time, as an array of trials x launches x repetitions. pairs()
assigns launches to two contenders as the runner does: once per round each, in random order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import signal

Array = npt.NDArray[np.float64]
Shape = tuple[int, int, int]  # trials, launches, repetitions
Model = Callable[[np.random.Generator, Shape], Array]


def white(rng: np.random.Generator, shape: Shape, deviation: float = 0.02) -> Array:
    factors: Array = np.exp(rng.normal(0.0, deviation, shape))
    return factors


def drift(rng: np.random.Generator, shape: Shape) -> Array:
    """The machine slowly becomes faster and slower: a first-order autoregressive process, 5 %, coefficient 0.95."""
    trials, launches, repetitions = shape
    memory, deviation = 0.95, 0.05
    steps = rng.normal(0.0, deviation * np.sqrt(1 - memory**2), (trials, launches * repetitions))
    steps[:, 0] = rng.normal(0.0, deviation, trials)
    level: Array = signal.lfilter([1.0], [1.0, -memory], steps, axis=1)
    factors: Array = np.exp(level.reshape(shape))
    return factors * white(rng, shape, 0.01)


def neighbour(rng: np.random.Generator, shape: Shape) -> Array:
    """Another guest of the host is busy or idle for about ten measurements each; while busy it costs 26 %."""
    trials, launches, repetitions = shape
    switches = rng.random((trials, launches * repetitions)) < 0.1
    switches[:, 0] = rng.random(trials) < 0.5
    on = np.cumsum(switches, axis=1) % 2
    return np.where(on.reshape(shape), 1.26, 1.0) * white(rng, shape, 0.01)


def spikes(rng: np.random.Generator, shape: Shape) -> Array:
    """One in ten measurements is interrupted, for an exponentially distributed time: 30 % on average."""
    hit = rng.random(shape) < 0.1
    return (1.0 + hit * rng.exponential(0.3, shape)) * white(rng, shape, 0.01)


def ramp(rng: np.random.Generator, shape: Shape) -> Array:
    """The machine warms up and becomes 4 % slower from the first to the last measurement."""
    _, launches, repetitions = shape
    rise = np.linspace(0.0, 0.04, launches * repetitions).reshape(1, launches, repetitions)
    return (1.0 + rise) * white(rng, shape, 0.01)


def bursts(rng: np.random.Generator, shape: Shape) -> Array:
    """Another process takes one of two processors in bursts, so that each measurement loses a share of its time: it
    takes up to 30 % longer, by an amount that is evenly distributed."""
    return (1.0 + 0.3 * rng.random(shape)) * white(rng, shape, 0.01)


def launch_bias(rng: np.random.Generator, shape: Shape) -> Array:
    """Each process has its own memory layout, a bias of 2 % that all its repetitions share."""
    trials, launches, _ = shape
    return white(rng, (trials, launches, 1)) * white(rng, shape, 0.01)


MODELS: dict[str, Model] = {
    "white": white,
    "drift": drift,
    "neighbour": neighbour,
    "spikes": spikes,
    "ramp": ramp,
    "launch_bias": launch_bias,
    "bursts": bursts,
}


def pairs(
    model: Model, rng: np.random.Generator, trials: int, rounds: int, repetitions: int = 1, effect: float = 0.0
) -> tuple[Array, Array]:
    """Returns the contender's and the baseline's values: trials x rounds x repetitions each. The contender is truly
    slower by `effect`, 0.03 for 3 %."""
    factors = model(rng, (trials, 2 * rounds, repetitions)).reshape(trials, rounds, 2, repetitions)
    second = rng.integers(0, 2, (trials, rounds, 1, 1))
    contender = np.take_along_axis(factors, second, axis=2)[:, :, 0, :]
    baseline = np.take_along_axis(factors, 1 - second, axis=2)[:, :, 0, :]
    return contender * (1.0 + effect), baseline
