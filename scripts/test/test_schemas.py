"""The schemas in docs/ say what each field means, and openapi.json says the same of fields that it shares with them."""

import json
import pathlib

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
SCHEMAS = sorted(path.name for path in DOCS.glob("*.schema.json"))


def read(name):
    return json.loads((DOCS / name).read_text(encoding="utf-8"))


def resolved(schema, document):
    """What a reference such as #/$defs/entry refers to."""
    found = document
    for name in schema.get("$ref", "#").split("/")[1:]:
        found = found[name]
    return found if "$ref" in schema else schema


def fields(schema, document=None, prefix=""):
    """Each field of an object, of its objects and of the items of its arrays: its path and its schema. With a document,
    also those of what its references refer to."""
    schema = resolved(schema, document) if document else schema
    if "items" in schema:
        yield from fields(schema["items"], document, f"{prefix}[]")
    for choice in ("anyOf", "oneOf"):
        for one in schema.get(choice, ()):
            yield from fields(one, document, prefix)
    for name, one in schema.get("properties", {}).items():
        yield f"{prefix}.{name}", one
        yield from fields(one, document, f"{prefix}.{name}")


def without_meaning(document):
    """The fields that lack a description, and the types that do; a description of a field is a phrase."""
    types = document.get("$defs") or document.get("components", {}).get("schemas", {})
    yield from (name for name, one in types.items() if not one.get("description", "").endswith("."))
    for name, one in {"": document, **types}.items():
        for field, schema in fields(one):
            if not schema.get("description") or schema["description"].endswith("."):
                yield name + field


def meanings(schema, document):
    return {field: one["description"] for field, one in fields(schema, document)}


@pytest.mark.parametrize("name", [*SCHEMAS, "openapi.json"])
def test_each_field_and_each_type_has_a_description(name):
    assert list(without_meaning(read(name))) == []


def test_a_missing_description_is_found():
    inner = {"anyOf": [{"properties": {"e": {"description": "A sentence."}}}]}
    items = {"properties": {"b": {}, "c": {"description": "a number"}}}
    document = {"properties": {"a": {"description": "a list", "items": items}},
                "$defs": {"T": {"properties": {"d": inner}}}}
    assert list(without_meaning(document)) == ["T", ".a[].b", "T.d", "T.d.e"]


@pytest.mark.parametrize("name", ["Diff", "Growth"])
def test_http_describes_the_answers_of_commands_as_their_schemas_do(name):
    http, schema = read("openapi.json"), read(f"fathom.{name.lower()}.schema.json")
    assert meanings(http["components"]["schemas"][name], http) == meanings(schema, schema)


def test_http_describes_the_log_as_its_schema_does():
    http, schema = read("openapi.json"), read("fathom.log.schema.json")
    answers, log = meanings(http["components"]["schemas"]["Snapshots"], http), meanings(schema, schema)
    del answers[".offset"]  # an answer is a part of the list
    assert answers | {".total": log[".total"]} == log


def test_http_has_the_fields_of_acts_that_their_schema_has():
    http, schema = read("openapi.json"), read("fathom.applied.schema.json")
    answers = [meanings(http["components"]["schemas"][name], http) for name in ("Applied", "Undone")]
    # serve deletes nothing, so nothing that is open matters.
    of_acts = {field for field in meanings(schema, schema) if ".open_" not in field}
    assert answers[0].keys() | answers[1].keys() == of_acts


def test_http_describes_the_rows_of_reports_as_the_schema_of_scan_does():
    http, scan = read("openapi.json"), read("fathom.scan.schema.json")
    rows = {one["properties"]["key"]["const"]: one["properties"]["rows"]["items"]
            for one in http["components"]["schemas"].values() if "const" in one.get("properties", {}).get("key", {})}
    assert len(rows) > 10
    for key, one in scan["properties"]["reports"]["properties"].items():
        if key != "explain":  # no request answers it
            assert meanings(rows[key], http) == meanings(one.get("items", one), scan), key
