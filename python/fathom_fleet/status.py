"""`fathom fleet status`: what a folder says about its scan."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any

from fathom_fleet.driver import restored
from fathom_fleet.errors import FleetError, shown
from fathom_fleet.folder import Folder
from fathom_fleet.hosts import entries_of
from fathom_fleet.request import Request

_SCHEMA = "fathom.fleet.status/1"


def status(folder: Folder) -> dict[str, Any]:
    """Reads every part.json. Raises FleetError if the folder holds no scan."""
    request = folder.request()
    if request is None:
        raise FleetError(f"'{folder}' does not hold a fleet scan")
    end = folder.finished()
    if request.each_host:
        return _of_hosts(folder, request)
    plan = restored(folder)
    return {"schema": _SCHEMA, "state": _state(folder), "roots": [shown(root) for root in request.roots],
            "version": request.version, "entries": plan.entries, "errors": plan.errors, "parts": len(plan.done),
            "waiting": plan.waiting, "given_up": list(end.given_up) if end else []}


def _of_hosts(folder: Folder, request: Request) -> dict[str, Any]:
    known = {path.name.removeprefix("host="): entries_of(path) for path in sorted(folder.path.glob("host=*"))}
    there = {urllib.parse.unquote(host): counts for host, counts in known.items() if counts is not None}
    end = folder.finished()
    return {"schema": _SCHEMA, "state": _state(folder), "roots": [shown(root) for root in request.roots],
            "version": request.version, "entries": sum(entries for entries, _ in there.values()),
            "errors": sum(errors for _, errors in there.values()), "hosts": list(there),
            "given_up": list(end.given_up) if end else []}


def _state(folder: Folder) -> str:
    # A scan that is resumed to try again what was given up has finished once already.
    return "running" if folder.is_locked() else "finished" if folder.finished() else "interrupted"


def as_text(given: dict[str, Any]) -> str:
    lines = [f"{given['state']}: {' '.join(given['roots'])}",
             f"entries  {given['entries']:,}", f"errors   {given['errors']:,}"]
    if "hosts" in given:
        lines.append(f"hosts    {' '.join(map(shown, given['hosts']))}")
    else:
        lines.append(f"parts    {given['parts']:,} done, {given['waiting']:,} to do")
    if given["given_up"]:
        lines.append(f"given up {' '.join(given['given_up'])}")
    return "\n".join(lines)


def as_json(given: dict[str, Any]) -> str:
    return json.dumps(given)
