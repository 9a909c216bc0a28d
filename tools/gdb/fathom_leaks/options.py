"""The options of the recorder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    trace: str
    depth: int = 32
    sample: int = 1        # follow every Nth allocation
    sample_bytes: int = 0  # follow one allocation per that many requested bytes; 0: off
    start_at: str = ""
    stop_at: str = ""

    @property
    def follows_all(self) -> bool:
        return self.sample <= 1 and self.sample_bytes <= 0
