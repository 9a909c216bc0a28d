"""What the recorder is told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    trace: str
    depth: int = 32
    sample: int = 1        # every how many allocations one is followed
    sample_bytes: int = 0  # one is followed each time so many bytes were asked for; 0: not so
    start_at: str = ""
    stop_at: str = ""

    @property
    def follows_all(self) -> bool:
        return self.sample <= 1 and self.sample_bytes <= 0
