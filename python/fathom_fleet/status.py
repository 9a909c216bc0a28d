"""`fathom fleet status`: what a folder says about its scan."""

from __future__ import annotations

import json
from typing import Any

from fathom_fleet.driver import restored
from fathom_fleet.errors import FleetError, shown
from fathom_fleet.folder import Folder

_SCHEMA = "fathom.fleet.status/1"


def status(folder: Folder) -> dict[str, Any]:
    """Reads every part.json. Raises FleetError if the folder holds no scan."""
    request = folder.request()
    if request is None:
        raise FleetError(f"'{folder}' does not hold a fleet scan")
    end = folder.finished()
    plan = restored(folder)
    state = "finished" if end else "running" if folder.is_locked() else "interrupted"
    return {"schema": _SCHEMA, "state": state, "roots": [shown(root) for root in request.roots],
            "version": request.version, "entries": plan.entries, "errors": plan.errors, "parts": len(plan.done),
            "waiting": plan.waiting, "given_up": list(end.given_up) if end else []}


def as_text(given: dict[str, Any]) -> str:
    lines = [f"{given['state']}: {' '.join(given['roots'])}",
             f"entries  {given['entries']:,}", f"parts    {given['parts']:,} done, {given['waiting']:,} to do",
             f"errors   {given['errors']:,}"]
    if given["given_up"]:
        lines.append(f"given up {' '.join(given['given_up'])}")
    return "\n".join(lines)


def as_json(given: dict[str, Any]) -> str:
    return json.dumps(given)
