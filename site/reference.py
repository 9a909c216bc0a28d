"""Writes the pages of the reference that have no document: the commands and the fields of JSON."""

import json
import pathlib
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from documents import ROOT, place, title

Schema = Mapping[str, Any]
# Commands that are programs of their own, with the page that describes their options.
PROGRAMS = {"leaks": "../../leaks.md", "fleet": "../../fleet.md"}
LIMITS = (("minimum", "at least {}"), ("maximum", "at most {}"), ("minLength", "length at least {}"),
          ("maxLength", "length at most {}"), ("minItems", "length at least {}"), ("maxItems", "length at most {}"),
          ("pattern", "as `{}`"), ("contentEncoding", "in {}"), ("default", "default: `{}`"))


def output_of(*command: str | pathlib.Path, given: str | None = None) -> str:
    return subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE, text=True).stdout


# ---- Commands


def write_commands(fathom: pathlib.Path, into: pathlib.Path) -> None:
    overview = output_of(fathom, "--generate", "man")
    commands = re.findall(r"^\.BR fathom\\-(\w+) \(1\)", overview, re.MULTILINE)
    into.mkdir(parents=True)
    (into / "index.md").write_text(manual_page("fathom", overview), encoding="utf-8")
    for command in commands:
        if command not in PROGRAMS:
            manual = output_of(fathom, "--generate", f"man-{command}")
            (into / f"{command}.md").write_text(manual_page(f"fathom {command}", manual), encoding="utf-8")


def manual_page(title: str, manual: str) -> str:
    """A manual page as a page of the site, where each option can be linked to: scan/#--format."""
    text, _, related = manual.partition(".SH SEE ALSO\n")
    page = output_of("mandoc", "-T", "html", "-O", "fragment", given=text)
    page = re.sub(r'(?s)<table class="(?:head|foot)">.*?</table>|</?(?:section|div)\b.*?>', "", page)
    page = re.sub(r'(?s)<dt id=".*?"><a class="permalink" href=".*?">(.*?)</a></dt>', linked_term, page)
    page = re.sub(r'(?s)<h([12]) class="S[hs]" id=".*?"><a.*?>(.*?)</a></h\1>', heading, page)
    page = re.sub(r"`([^`<]+)`", r"<code>\1</code>", page)
    see_also = [f"[fathom {name}]({PROGRAMS.get(name, f'{name}.md')})"
                for name in re.findall(r"fathom\\-(\w+) \(1\)", related)]
    return f"# {title}\n\n{page.strip()}\n\n## See also\n\n{', '.join(['[fathom](index.md)', *see_also])}\n"


def linked_term(found: re.Match[str]) -> str:
    words = " ".join(re.sub(r"<.*?>", "", found[1]).split())
    option = re.search(r"--[\w-]+", words)
    name = option[0] if option else words.split()[0].strip(",")
    return f'<dt id="{name}"><a href="#{name}">{found[1]}</a></dt>'


def heading(found: re.Match[str]) -> str:
    words = " ".join(found[2].split())
    return f"\n\n{'#' * (int(found[1]) + 1)} {words.capitalize() if words.isupper() else words}\n\n"


# ---- JSON


def write_schemas(into: pathlib.Path) -> None:
    into.mkdir(parents=True)
    for path in sorted((ROOT / "docs").glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = path.name.removesuffix(".schema.json").removeprefix("fathom.")
        text = f"# {schema['title']}\n\n{meaning(schema)}\n\nThe schema: [{path.name}](../../{path.name})\n"
        text += "".join(f"\n## {title}\n\n{table}" for title, table in tables(schema))
        (into / f"{name}.md").write_text(with_links(text, "../../"), encoding="utf-8")


def tables(schema: Schema) -> Iterator[tuple[str, str]]:
    """A table for the properties that have no fields of their own, one for each other property, and for each
    definition."""
    required, properties = schema.get("required", ()), schema.get("properties", {})
    plain = {name: one for name, one in properties.items() if not list(fields(one, ""))}
    if plain:
        yield "Fields", field_table([row for name, one in plain.items() for row in of_property(name, one, required)])
    for name, one in properties.items():
        if name in plain:
            continue
        # Reports are as large as schemas; each gets its table.
        inside = one.get("properties", {})
        if sum(bool(list(fields(each, ""))) for each in inside.values()) > 2:
            for report, each in inside.items():
                yield f"{name}.{report}", field_table([*of_property(f"{name}.{report}", each, one.get("required", ()))])
        else:
            yield name, field_table([*of_property(name, one, required)])
    for name, one in schema.get("$defs", {}).items():
        yield definition_title(name), f"{meaning(one)}\n\n{field_table([*fields(one, '')])}"


def definition_title(name: str) -> str:
    return f"Type {name}"


Row = tuple[str, str, str, str]


def of_property(name: str, schema: Schema, required: Sequence[str]) -> Iterator[Row]:
    yield (name, limited_type(schema), "yes" if name.rpartition(".")[2] in required else "", meaning(schema))
    yield from fields(schema, f"{name}.")


def fields(schema: Schema, prefix: str) -> Iterator[Row]:
    """The fields of an object, those of its objects and of the items of its arrays included: name, type, whether it is
    always there, and meaning."""
    if "items" in schema and isinstance(schema["items"], dict):
        yield from fields(schema["items"], f"{prefix.removesuffix('.')}[].")
    for choice in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from fields(choice, prefix)
    for name, one in schema.get("properties", {}).items():
        yield (f"{prefix}{name}", limited_type(one), "yes" if name in schema.get("required", ()) else "", meaning(one))
        yield from fields(one, f"{prefix}{name}.")


def type_of(schema: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{definition_title(name).lower().replace(' ', '-')})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    for choice in ("oneOf", "anyOf", "allOf"):
        if choice in schema and "type" not in schema:
            return (" and " if choice == "allOf" else " or ").join(dict.fromkeys(map(type_of, schema[choice])))
    kinds = schema.get("type", "any")
    if kinds == "array":
        return f"array of {type_of(schema.get('items', {}))}"
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def limited_type(schema: Schema) -> str:
    return ", ".join([type_of(schema), *(words.format(schema[name]) for name, words in LIMITS if name in schema)])


def meaning(schema: Schema) -> str:
    return " ".join(schema.get("description", "").split())


def with_links(text: str, up: str) -> str:
    """A page on which the names of documents are links; `up` leads to the top of the site."""
    return re.sub(r"docs/[\w-]+\.md", lambda named: f"[{title(named[0])}]({up}{place(named[0])})", text)


def field_table(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    lines = [f"| `{name}` | {cell(kind)} | {always} | {cell(said)} |" for name, kind, always, said in rows]
    return "\n".join(["| field | type | always | meaning |", "|---|---|---|---|", *lines, ""])


def cell(text: str) -> str:
    return text.replace("|", r"\|")


# ---- HTTP


def write_http(into: pathlib.Path) -> None:
    described_by = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    parts = [f"# {described_by['info']['title']}: the HTTP interface\n\n{meaning(described_by['info'])}\n\n"
             "The description in OpenAPI: [openapi.json](../openapi.json)\n"]
    for path, operations in described_by["paths"].items():
        for method, operation in operations.items():
            if method in ("get", "post", "put", "delete"):
                parts.append(request(f"{method.upper()} {path}", operation, described_by))
    for name, schema in described_by["components"]["schemas"].items():
        rows = [*fields(schema, "")]
        table = field_table(rows) if rows else f"{limited_type(schema)}\n"
        parts.append(f"## {definition_title(name)}\n\n{meaning(schema)}\n\n{table}")
    into.write_text(with_links("\n".join(parts), "../"), encoding="utf-8")


def request(title: str, operation: Schema, document: Schema) -> str:
    parameters = [resolved(one, document) for one in operation.get("parameters", ())]
    rows = [f"| `{one['name']}` | {cell(limited_type(one['schema']))} | {cell(meaning(one))} |" for one in parameters]
    text = f"## {title}\n\n{operation.get('summary', '')} {operation.get('description', '')}".rstrip() + "\n"
    if rows:
        text += "\n".join(["", "| parameter | type | meaning |", "|---|---|---|", *rows, ""])
    if body := operation.get("requestBody"):
        text += f"\nBody: {content(resolved(body, document))}\n"
    answers = [f"| {status} | {cell(resolved(one, document)['description'])} | "
               f"{cell(content(resolved(one, document)))} |" for status, one in operation["responses"].items()]
    return text + "\n".join(["", "| status | meaning | body |", "|---|---|---|", *answers, ""])


def resolved(schema: Schema, document: Schema) -> Schema:
    """What a reference such as #/components/parameters/path refers to."""
    for name in schema.get("$ref", "#").split("/")[1:]:
        document = document[name]
    return document if "$ref" in schema else schema


def content(described_body: Schema) -> str:
    return ", ".join(type_of(one["schema"]) if kind == "application/json" and "schema" in one else kind
                     for kind, one in described_body.get("content", {}).items())
