"""Placeholders in options: {NAME} is replaced by a value, {{ and }} by literal braces."""

from __future__ import annotations

import decimal
import re
from collections.abc import Mapping
from typing import Any

from fathom_lab.errors import LabError

_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def fill(template: Any, values: Mapping[str, Any], where: str) -> Any:
    """Replaces placeholders in strings, including those in lists and tables. Raises LabError for a name without a
    value."""
    return _map_strings(template, lambda text: _TOKEN.sub(lambda match: _filled(match, values, where), text))


def fill_only(template: Any, name: str, value: str) -> Any:
    """Replaces one name; the result is still a template."""
    quoted = value.replace("{", "{{").replace("}", "}}")
    replace = lambda match: quoted if match[1] == name else match[0]  # noqa: E731
    return _map_strings(template, lambda text: _TOKEN.sub(replace, text))


def _map_strings(template: Any, change: Any) -> Any:
    if isinstance(template, str):
        return change(template)
    if isinstance(template, Mapping):
        return {key: _map_strings(value, change) for key, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [_map_strings(value, change) for value in template]
    return template


def _filled(match: re.Match[str], values: Mapping[str, Any], where: str) -> str:
    token = match[0]
    if token in ("{{", "}}"):
        return token[0]
    if match[1] is not None and match[1] in values:
        return plain(values[match[1]])
    known = ", ".join(f"{{{name}}}" for name in values)
    raise LabError(f"{where}: unknown placeholder {token}; available: {known}; write {{{{ and }}}} for literal braces")


def plain(value: Any) -> str:
    """Formats a value for a command line: 2 for 2.0, no exponents."""
    if isinstance(value, float):
        text = format(decimal.Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)
