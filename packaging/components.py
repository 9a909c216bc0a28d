"""The works that the files of a release contain besides Fathom: libraries of the distribution, those of the compiler,
the JavaScript in the page of fathom serve, and the binding of the Python package.

It runs on the Debian machine that built these files, because it asks dpkg for versions and licences."""

import dataclasses
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
from collections.abc import Iterator
from urllib.parse import quote

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The licences to which Debian's copyright files refer instead of including them.
COMMON_LICENSES = pathlib.Path("/usr/share/common-licenses")
# Kinds of files that differ in what they contain.
KINDS = ("deb", "rpm", "wheel", "static")


class Missing(Exception):
    """A component cannot be listed; the message says why."""


@dataclasses.dataclass(frozen=True)
class Component:
    name: str
    version: str
    locator: str  # a package URL
    licence: pathlib.Path  # a text file

    def licence_text(self) -> str:
        return self.licence.read_text(encoding="utf-8", errors="replace").strip()


def components(kind: str) -> list[Component]:
    """Those of a kind of file. Raises Missing.

    The Debian packages use shared libraries; the static command contains the C library.
    """
    headers = re.findall(r"^run +\S+ +header:(\S+)", _read("scripts/setup"), re.MULTILINE)
    linked = {header for part in ROOT.glob("*/CMakeLists.txt")
              for header in re.findall(r"^fathom_link\(\S+ \S+ (\S+)", part.read_text(encoding="utf-8"), re.MULTILINE)}
    packages = [_package_with(header) for header in headers if kind != "deb" or header not in linked]
    if kind != "deb":
        packages.append(f"libstdc++-{_output('gcc', '-dumpversion')}-dev")
    if kind == "static":
        packages.append("libc6-dev")
    binding = [_binding_of_python()] if kind == "wheel" else []
    return [*map(_library, packages), *_scripts_of_the_page(), *binding]


def common_licences(text: str) -> list[pathlib.Path]:
    """The files of the licences to which a text refers."""
    names = re.findall(rf"{COMMON_LICENSES}/([A-Za-z]+(?:-[0-9]+(?:\.[0-9]+)*)?)", text)
    return [path for path in sorted(COMMON_LICENSES / name for name in set(names)) if path.exists()]


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"{command[0]} failed: {error}") from error


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _package_with(header: str) -> str:
    """The package that a header is from, because that of scripts/setup may only depend on it."""
    for folder in ("/usr/include", f"/usr/include/{_output('gcc', '-print-multiarch')}"):
        if os.path.exists(f"{folder}/{header}"):
            return _output("dpkg-query", "--search", f"{folder}/{header}").split(":")[0]
    raise Missing(f"the header {header} is not installed: run scripts/setup")


def _library(package: str) -> Component:
    version, source, source_version = _output(
        "dpkg-query", "-W", "-f", "${Version} ${source:Package} ${source:Version}\n", package).splitlines()[0].split()
    return Component(package, version, f"pkg:deb/debian/{source}@{quote(source_version)}?arch=source",
                     pathlib.Path("/usr/share/doc", package, "copyright"))


def _scripts_of_the_page() -> Iterator[Component]:
    if not (ROOT / "web/ui/node_modules").exists():
        return  # then there is no page either
    packages = json.loads(_read("web/ui/package-lock.json"))["packages"]
    for place, package in packages.items():
        if place and not package.get("dev"):
            name = place.removeprefix("node_modules/")
            licences = sorted((ROOT / "web/ui" / place).glob("LICEN[CS]E*"))
            if not licences:
                raise Missing(f"web/ui/{place} has no licence")
            yield Component(name, package["version"], f"pkg:npm/{quote(name)}@{package['version']}", licences[0])


def _binding_of_python() -> Component:
    """The library that is compiled into the Python package."""
    folders = list(map(str, (ROOT / "build/python-tools/lib").glob("python3*/site-packages")))
    for nanobind in importlib.metadata.distributions(name="nanobind", path=folders):
        for file in nanobind.files or ():
            if file.name == "LICENSE":
                return Component("nanobind", nanobind.version, f"pkg:pypi/nanobind@{nanobind.version}",
                                 pathlib.Path(str(nanobind.locate_file(file))))
    raise Missing("nanobind is not installed: run scripts/python_tools.py")
