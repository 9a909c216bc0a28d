"""The JSON Schemas of docs/, with which tests compare what the command writes."""

import functools
import json
import pathlib

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def closed(schema):
    """The schema without the permission for objects to have other fields."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(one) for key, one in schema.items()}
    return inner | {"additionalProperties": False} if "object" in inner.get("type", ()) else inner


@functools.cache
def validators(name):
    """For the documents of a format, such as fathom.scan/1: that of the published schema, and a closed one."""
    jsonschema = pytest.importorskip("jsonschema")
    path = DOCS / f"{name.removesuffix('/1')}.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema), jsonschema.Draft202012Validator(closed(schema))


def assert_described(document, name):
    """Fails unless the schema of the format describes the document with all its fields: new fields are allowed, but
    they must be documented. Skips the test if jsonschema is not installed."""
    validators(name)[1].validate(document)


def assert_lines_described(path, name):
    """The same for each line of a file."""
    for line in path.read_bytes().splitlines():
        assert_described(json.loads(line), name)


def is_valid(document, name=None):
    """Whether the schema, by default that which the document names, allows it."""
    return validators(name or document["schema"])[0].is_valid(document)
