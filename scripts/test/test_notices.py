"""The licences that go with the files of a release."""

import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import components  # type: ignore[import-not-found]  # noqa: E402


@pytest.fixture(name="installed", autouse=True)
def installed_fixture(monkeypatch):
    """What the command is built with; without the page and the Python package, which may be missing."""
    if not shutil.which("dpkg-query") or not shutil.which("gcc"):
        pytest.skip("the libraries are not Debian's")
    monkeypatch.setattr(components, "_scripts_of_the_page", list)
    monkeypatch.setattr(components, "_binding_of_python", lambda: components._library("libc6-dev"))


def names(kind):
    return {component.name for component in components.components(kind)}


def test_a_debian_package_contains_only_headers_because_its_libraries_are_shared():
    assert {"libfmt-dev", "rapidjson-dev"} <= names("deb")
    assert not names("deb") & {"zlib1g-dev", "libzstd-dev", "liburing-dev", "libc6-dev"}


def test_the_other_files_contain_the_libraries_and_the_static_command_that_of_c():
    for kind in ("rpm", "static"):
        assert names("deb") | {"zlib1g-dev", "libzstd-dev", "liburing-dev"} < names(kind)
    assert names("static") - names("rpm") == {"libc6-dev"}


def test_each_component_has_a_licence_and_a_version():
    for component in components.components("static"):
        assert component.licence_text()
        assert component.version in component.locator or "arch=source" in component.locator


def test_licences_are_followed_to_the_common_ones():
    text = f"see {components.COMMON_LICENSES}/LGPL-2.1. Also {components.COMMON_LICENSES}/GPL-3, or /usr/share/none"
    assert [path.name for path in components.common_licences(text)] == ["GPL-3", "LGPL-2.1"]


def test_a_missing_header_is_named(monkeypatch):
    monkeypatch.setattr(components, "_read", lambda path: "run x-dev header:not/there.h the x\n")
    with pytest.raises(components.Missing, match=r"^the header not/there.h is not installed: run scripts/setup$"):
        components.components("static")
