"""An engine whose workers, clock and accidents are simulated, from one seed."""

import heapq
import itertools

import fake_fathom
from fathom_fleet.engine import Outcome


class DriverKilled(Exception):
    """The driver ends here, as by kill -9."""


class Accidents:
    """How often, of 1, what happens to a task."""

    def __init__(self, **rates):
        self.rates = rates

    def draw(self, rng):
        at = rng.random()
        for what, rate in self.rates.items():
            if at < rate:
                return what
            at -= rate
        return "fine"


class FakeEngine:
    """Runs the fake fathom. `tail` holds what processes of an earlier driver still have to commit."""

    def __init__(self, rng, slots=4, accidents=None, poisoned=(), killed_after=None, tail=()):
        self.rng = rng
        self.accidents = accidents or Accidents()
        self.poisoned = poisoned
        self.killed_after = killed_after  # so many outcomes
        self.submitted = []
        self.abandoned = []
        self.asked = []
        self.most_running = 0
        self._slots = slots
        self._clock = 0.0
        self._order = itertools.count()
        self._running = {}  # key: whether it hangs
        self._events = []
        for what in tail:
            self._at(self.rng.random() * 20, what)

    def now(self):
        return self._clock

    def slots(self):
        return self._slots

    def submit(self, task):
        self.submitted.append(task)
        self._running[task.key] = False
        self.most_running = max(self.most_running, len(self._running))
        assert len(self._running) <= self._slots
        seconds = 0.05 + self.rng.random() * 4
        what = "poisoned" if task.key.split("-")[0] in self.poisoned else self.accidents.draw(self.rng)
        if what == "hangs":
            self._running[task.key] = True
        elif what == "poisoned":
            self._at(seconds, lambda: self._ended(task, -11))
        elif what == "crashes":
            self._at(seconds, lambda: self._ended(task, -9))
        elif what == "fills the disk":
            self._at(seconds, lambda: self._ended(task, 1 if task.key.startswith("root") else 2,
                                                   "no part was added: cannot write x: No space left on device"))
        elif what == "is lost":
            self._at(seconds, lambda: self._ended(task, None, "the worker was lost"))
        elif what == "loses its reply":
            self._commits(task, seconds)
            self._at(seconds, lambda: self._ended(task, None, "the worker was lost"))
        elif what == "commits after it was given up":
            self._at(seconds, lambda: self._ended(task, None, "the worker was lost"))
            self._commits(task, seconds + self.rng.random() * 20)
        elif what == "runs twice":
            self._commits(task, seconds)
            self._commits(task, seconds + self.rng.random())
            self._at(seconds, lambda: self._ended(task, 0))
            self._at(seconds + 1, lambda: self._ended(task, 0))
        elif what == "is seen late":
            self._at(seconds, lambda: self._ended(task, 0))
            self._commits(task, seconds + self.rng.random() * 30)
        else:
            self._commits(task, seconds)
            self._at(seconds, lambda: self._ended(task, 0))

    def hand_back(self, keys):
        assert not set(keys) - self._running.keys()
        self.asked += keys  # and the request is lost

    async def outcomes(self, patience):
        until = self._clock + patience
        ended = []
        while self._events and self._events[0][0] <= until and not ended:
            self._clock, _, what = heapq.heappop(self._events)
            outcome = what()
            if outcome is not None:
                ended.append(outcome)
        if not ended:
            self._clock = until
        if self.killed_after is not None:
            self.killed_after -= len(ended)
            if self.killed_after < 0:
                raise DriverKilled
        return ended

    async def abandon(self, key):
        assert self._running[key], f"{key} would have ended"
        self.abandoned.append(key)
        del self._running[key]
        self._slots -= 1  # its worker is given up, and another one comes
        self._at(5.0, self._one_more)

    def tail(self):
        """What goes on when the driver is gone."""
        return [what for _, _, what in sorted(self._events)]

    def _one_more(self):
        self._slots += 1

    def _at(self, seconds, what):
        heapq.heappush(self._events, (self._clock + seconds, next(self._order), what))

    def _commits(self, task, seconds):
        given, roots = fake_fathom.options(task.argv[3:])
        part, files = fake_fathom.prepare([f"--{name}={value}" for name, value in given.items()] + roots, self.rng)

        def commit():
            fake_fathom.commit(given["into"], part, files)

        self._at(seconds, commit)

    def _ended(self, task, code, message=""):
        self._running.pop(task.key, None)
        return Outcome(task.key, code, message, "fake")
