"""How documents, headers, manual pages and schemas become pages of the site. `scripts/check site` builds it."""

import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "site"))

import documents  # noqa: E402
import headers  # noqa: E402
import nav  # noqa: E402
import reference  # noqa: E402

# ---- Documents


@pytest.mark.parametrize("text, on_the_page", [
    ("[the page](SERVE.md#start)", "[the page](serve.md#start)"),
    ("[SERVE.md](SERVE.md)", "[fathom serve](serve.md)"),
    ("docs/SERVE.md says", "[fathom serve](serve.md) says"),
    ("[its README](../lab/README.md)", "[its README](lab/index.md)"),
    ("[README](../README.md)", "[README](usage.md)"),
    ("![a\npicture](serve.png)", "![a\npicture](serve.png)"),
    ("[elsewhere](https://example.com/a.md) [here](#here)", "[elsewhere](https://example.com/a.md) [here](#here)"),
    ("`[](1024)` `a\nb [x](NO.md)`", "`[](1024)` `a\nb [x](NO.md)`"),
    ("```\na\n\n[x](NO.md) docs/SERVE.md\n```", "```\na\n\n[x](NO.md) docs/SERVE.md\n```"),
    ("[atomic.h](../base/include/fathom/base/atomic.h)", "`base/include/fathom/base/atomic.h`"),
    ("[examples/](../examples)", "`examples`"),
    ("[`the` code](../examples)", "`the` code (`examples`)"),
])
def test_links_of_documents_lead_to_pages(monkeypatch, text, on_the_page):
    monkeypatch.setattr(documents, "REPOSITORY", "")
    assert documents.with_links(text, "docs/JSON.md", "json.md") == on_the_page


def test_links_lead_into_the_repository_if_its_address_is_known(monkeypatch):
    monkeypatch.setattr(documents, "REPOSITORY", "https://example.com/fathom")
    assert (documents.with_links("[code](examples)", "README.md", "usage.md")
            == "[code](https://example.com/fathom/blob/HEAD/examples)")


def test_links_of_a_page_in_a_folder_are_relative_to_it():
    page = documents.with_links("[a](docs/SERVE.md) [b](lab/EXPERIMENTS.md)", "README.md", "guides/full-disk.md")
    assert page == "[a](../serve.md) [b](../lab/experiments.md)"


def test_a_link_to_a_document_without_a_page_is_an_error():
    with pytest.raises(documents.Broken, match=r"docs/JSON\.md links to docs/NO\.md, which is not a page"):
        documents.with_links("[x](NO.md)", "docs/JSON.md", "json.md")


def test_a_page_shows_parts_of_the_readme():
    page = documents.own_page("<!-- README: Duplicates -->", "guides/duplicates.md")
    assert page.startswith("See which files are equal")
    assert "$ fathom dups --apply dups.plan" in page and "**Caches" not in page
    with pytest.raises(documents.Broken, match=r"x\.md shows 'No such part', which README\.md does not have"):
        documents.own_page("<!-- README: No such part -->", "x.md")


def test_in_the_menu_a_pattern_takes_the_pages_that_no_other_entry_has(tmp_path):
    for name in ("a.md", "b.md", "c.md", "in/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    config = nav.on_config({"docs_dir": tmp_path, "nav": ["*.md", {"Last": ["b.md", {"Inside": ["in/*.md"]}]}]})
    assert config["nav"] == ["a.md", "c.md", {"Last": ["b.md", {"Inside": ["in/d.md"]}]}]


# ---- Headers


def for_doxygen(source):
    return " ".join(headers.for_doxygen(source).split())


def test_comments_about_declarations_reach_doxygen():
    assert for_doxygen("int f();  // behind\n") == "int f(); /**< behind */"
    assert for_doxygen("int f();  // begins\n          // ends\nint g();\n") == "int f(); /**< begins ends */ int g();"
    assert for_doxygen("namespace n {\n// Above.\nint f();\n}\n") == "namespace n { /** Above. */ int f(); }"


def test_comments_about_code_do_not():
    assert for_doxygen("int f() {\n  // Code.\n  return 1;  // behind\n}\n") == "int f() { return 1; // behind }"
    assert for_doxygen("int a;\n// A section.\n\nint b;\n") == "int a; int b;"


def test_the_comment_at_the_top_is_about_the_class_that_it_names():
    page = for_doxygen("// Pool: threads.\n//\n//   Pool pool;\n\nnamespace a::b {\nclass Pool {\n};\n}\n")
    text = "Pool: threads. @code{.cpp} Pool pool; @endcode */"
    assert page.startswith(f"/** @file {text} /** @class a::b::Pool {text} namespace a::b {{")


def test_text_is_not_taken_for_commands():
    assert r"\<b\> \@x \#y `<b>` " in for_doxygen("int a;\n// <b> @x #y `<b>` z\nint b;\n")


def test_comments_in_c_are_read_too():
    assert for_doxygen("/* Top. */\nint a; /* one\n          two */\n") == "/** @file Top. */ int a; /**< one two */"


# ---- Manual pages and schemas


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_each_option_of_a_manual_page_can_be_linked_to():
    manual = ('.TH X 1\n.SH OPTIONS\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nas `a b`\n'
              '.SH EXIT STATUS\n0\n.SH SEE ALSO\n.BR fathom\\-dups (1),\n.BR du (1)\n')
    page = reference.manual_page("fathom x", manual)
    assert page.startswith("# fathom x\n\n## Options\n")
    assert '<dt id="--output"><a href="#--output">' in page and "<code>a b</code>" in page
    assert "\n## Exit status\n" in page
    assert page.endswith("## See also\n\n[fathom](index.md), [fathom dups](dups.md)\n")


def test_a_schema_lists_the_fields_of_objects_and_arrays():
    number = {"type": ["integer", "null"], "minimum": 1, "description": "how\nmany"}
    item = {"type": "object", "properties": {"b": number}}
    schema = {"type": "object", "required": ["a"], "properties": {
        "a": {"type": "array", "items": item},
        "c": {"$ref": "#/$defs/Entry"}, "d": {"enum": ["x", "y"], "description": "What it is."},
        "e": {"type": "object", "oneOf": [{"required": ["f"]}, {"required": ["g"]}]}}}
    assert list(reference.fields(schema, "")) == [
        ("a", "array of object", "yes", ""),
        ("a[].b", "integer or null, at least 1", "", "how many"),
        ("c", "[Entry](#type-entry)", "", ""),
        ("d", '`"x"` or `"y"`', "", "What it is."),
        ("e", "object", "", ""),
    ]


def test_a_type_of_a_schema_has_its_meaning_above_its_fields():
    field = {"type": "string", "minLength": 1, "description": "b | c"}
    of_type = {"description": "A name.", "properties": {"a": field}}
    assert list(reference.tables({"oneOf": [{"$ref": "#/$defs/Entry"}], "$defs": {"Entry": of_type}})) == [
        ("Type Entry", "A name.\n\n| field | type | always | meaning |\n|---|---|---|---|\n"
                       "| `a` | string, length at least 1 |  | b \\| c |\n")]


def test_documents_that_a_schema_names_become_links():
    assert reference.with_links("docs/SERVE.md says", "../") == "[fathom serve](../serve.md) says"
