"""The routes of the server, docs/openapi.json, docs/HTTP.md and the reports of `fathom scan` agree."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import FATHOM, scan
from serving import Serving
from test_snapshot import keep

DOCS = pathlib.Path(__file__).parents[2] / "docs"
LIST_ROUTES = pathlib.Path(os.environ.get("FATHOM_ROUTES", pathlib.Path(FATHOM).with_name("list_routes")))
REPORTS = "/api/1/reports/"
# The tree view is /api/1/tree, and --explain also examines what no scan finds.
FLAGS_WITHOUT_ROUTE = {"tree", "explain"}


@pytest.fixture(scope="module", name="described")
def described_fixture():
    """The paths of openapi.json: (method, path) to parameters."""
    description = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))
    known = description["components"]["parameters"]
    return {(method.upper(), path): {name: known[name] for name in
                                     (parameter["$ref"].rpartition("/")[2] for parameter in
                                      operation.get("parameters", []))}
            for path, operations in description["paths"].items() for method, operation in operations.items()}


@pytest.fixture(scope="module", name="served")
def served_fixture(tmp_path_factory):
    tree = tmp_path_factory.mktemp("served")
    store = tmp_path_factory.mktemp("stored") / "store"
    for name in ("file", "another"):
        (tree / name).touch()
        keep(tree, "--store", store)
    with Serving("--store", store, tree) as server:
        yield server.complete()


def names(described):
    return {request: {parameter["name"] for parameter in parameters.values()}
            for request, parameters in described.items()}


def routes():
    """The table of the server: (method, path) to the names of parameters."""
    if not LIST_ROUTES.exists():
        pytest.skip(f"{LIST_ROUTES} is not built")
    lines = subprocess.run([LIST_ROUTES], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {(method, path): set(parameters) for method, path, *parameters in rows}


def documented():
    """The sections of HTTP.md about requests: (method, path) to the names in the table of parameters."""
    found = {}
    for section in re.split(r"^## ", (DOCS / "HTTP.md").read_text(encoding="utf-8"), flags=re.MULTILINE):
        title, _, body = section.partition("\n")
        if matched := re.fullmatch(r"((?:GET|POST)(?: and POST)?) (/api/\S+)", title):
            _, _, table = body.partition("| parameter | |\n|---|---|\n")
            for method in matched[1].split(" and "):
                cells = re.findall(r"^\| (.*?) \| (.*) \|$", table, flags=re.MULTILINE)
                found[method, matched[2]] = {
                    name for first, second in cells for name in re.findall(r"`(\w+)`", first)
                    if method == "GET" or "only for `GET`" not in second}
    return found


def kinds(requests):
    """The reports among these requests."""
    return {path.removeprefix(REPORTS) for _, path in requests if path.startswith(REPORTS)}


def flags():
    """The flags of `fathom scan` that request a report, with an argument if they need one."""
    text = scan("--help").stdout.decode()
    group = re.search(r"^Reports.*?:\n(.*?)\n\n", text, flags=re.MULTILINE | re.DOTALL)[1]
    arguments = {"N": ["1"], "WHEN": ["1d"], "": []}
    return {name.replace("-", "_"): [f"--{name}", *arguments[argument]]
            for name, argument in re.findall(r"^ +--([a-z-]+) ?([A-Z]*)  ", group, flags=re.MULTILINE)}


def test_the_description_has_the_routes_of_the_server(described):
    table = routes()
    rest = table.pop(("GET", REPORTS))
    for kind in kinds(described):
        table.setdefault(("GET", REPORTS + kind), rest)
    assert table == names(described)


def test_the_document_has_a_section_for_each_request(described):
    expected = {request: parameters for request, parameters in names(described).items()
                if not request[1].startswith(REPORTS)}
    expected["GET", REPORTS + "KIND"] = set().union(
        *(parameters for request, parameters in names(described).items() if request[1].startswith(REPORTS)))
    assert documented() == expected


def test_the_document_lists_the_reports(described):
    text = (DOCS / "HTTP.md").read_text(encoding="utf-8")
    listed = re.search(r"KIND is (.*?)\.\n", text, flags=re.DOTALL)[1]
    assert set(re.findall(r"`(\w+)`", listed)) == kinds(described)


def test_each_flag_for_a_report_has_a_request(described, served, tmp_path):
    reports = flags()
    arguments = [word for name, words in reports.items() if name != "tree" for word in words]
    keys = set(json.loads(scan("--format", "json", *arguments, str(tmp_path)).stdout)["reports"])
    assert keys == set(reports) - {"tree"}
    assert kinds(described) == set(reports) - FLAGS_WITHOUT_ROUTE
    answered = {kind for kind in reports if served.ask(REPORTS + kind).status == 200}
    assert answered == kinds(described)


def test_each_described_parameter_is_accepted_and_no_other(described, served):
    examples = {"path": "", "q": "a", "kind": "file", "order": "asc", "snapshot": "@latest", "from": "@~1",
                "to": "@latest", "since": "30d", "around": "file", "class": "safe"}
    exclusive = {"around", "snapshot"}
    for (method, path), parameters in described.items():
        if method == "GET" and parameters:
            given = {parameter["name"]: parameter["schema"].get("default", examples.get(parameter["name"]))
                     for parameter in parameters.values()}
            for left_out in exclusive & given.keys() or {None}:
                query = "&".join(f"{name}={value}" for name, value in given.items() if name != left_out)
                assert served.ask(f"{path}?{query}").status == 200, query
        refused = served.ask(f"{path}?no_such_parameter=1", method=method)
        assert (refused.status, refused.error()) == (400, "bad_request"), path


def test_each_path_has_only_the_described_methods(described, served):
    for path in {path for _, path in described}:
        methods = [method for method in ("GET", "POST") if (method, path) in described]
        allowed = ", ".join("GET, HEAD" if method == "GET" else method for method in methods)
        reply = served.ask(path, method="DELETE")
        assert (reply.status, reply["Allow"]) == (405, allowed), path
