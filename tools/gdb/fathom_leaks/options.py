"""What a recording was asked to follow. The trace begins with it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Options:
    command: tuple[str, ...] = ()
    depth: int = 32
    sample: int = 1        # follow every Nth allocation
    sample_bytes: int = 0  # follow one allocation per that many requested bytes; 0: off
    start_at: str = ""
    stop_at: str = ""

    @property
    def follows_all(self) -> bool:
        return self.sample <= 1 and self.sample_bytes <= 0

    @property
    def knows_all(self) -> bool:
        """Whether the trace has every allocation, so that an unknown address was not returned by malloc."""
        return self.follows_all and not self.start_at

    def as_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, fields: Any) -> Options:
        """Raises ValueError if these are not the fields of options."""
        if not isinstance(fields, dict) or not isinstance(fields.get("command"), list):
            raise ValueError("not the options of a recording")
        options = cls(**{**fields, "command": tuple(fields["command"])})
        for field in dataclasses.fields(cls):
            if type(getattr(options, field.name)) is not type(field.default):
                raise ValueError(f"not a value of {field.name}")
        if not all(isinstance(word, str) for word in options.command):
            raise ValueError("not a command")
        return options
