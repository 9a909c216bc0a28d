"""The report in a browser."""

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from fathom_lab.report import html
from fathom_lab.rows import Failure
from made_analysis import made_analysis, made_experiment, made_launches, made_row, scaling_analysis

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
HOSTILE = '<script>document.title="taken over"</script><img src="http://127.0.0.1:9/x.png" onerror="document.title=1">'

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is installed")


class Page(HTMLParser):
    """The elements and the text of a page after the browser has parsed it."""

    def __init__(self, dom):
        super().__init__()
        self.tags, self.references, self.text, self._hidden = [], [], "", 0
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._hidden += tag in ("style", "script")
        leads = ("src", "href", "xlink:href", "action", "data")
        self.references += [value for name, value in attributes if name in leads]
        assert not [name for name, _ in attributes if name.startswith("on")]

    def handle_endtag(self, tag):
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data):
        self.text += "" if self._hidden else data


def opened(text, folder, *more):
    """The page as parsed by the browser, and the browser's log."""
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    command = [
        BROWSER, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}",
        "--enable-logging=stderr", "--virtual-time-budget=5000", "--window-size=1000,800", *more,
        "--dump-dom", file.as_uri(),
    ]
    command += ["--no-sandbox"] if os.geteuid() == 0 else []
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    log = done.stderr.decode(errors="replace")
    assert done.returncode == 0, log
    return done.stdout.decode(), re.findall(r".*CONSOLE.*", log)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with everything that it can contain."""
    of = made_experiment(["mutex", HOSTILE], question=f"Which is faster? {HOSTILE}", about=HOSTILE,
                         goal=[{"at_most": 1, "of": HOSTILE, "says": HOSTILE, "conditions": HOSTILE}])
    failure = Failure(HOSTILE, (), 1, 10, HOSTILE, f"</pre>{HOSTILE}")
    hostile = made_analysis([made_row(HOSTILE, 0.5, notes=(HOSTILE,))], of=of, failures=[failure],
                            missing={HOSTILE: HOSTILE}, answer=f"The answer is here. {HOSTILE}")
    many_dots = made_analysis([made_row(rounds=1000)], answer="There are many dots.")
    text = html.text([hostile, many_dots, scaling_analysis()], {"host": HOSTILE}, {"ring": made_launches(many_dots)})
    return opened(text, tmp_path_factory.mktemp("browser"))


def test_the_browser_has_nothing_to_complain_about(report):
    assert report[1] == []


def test_the_browser_would_say_if_it_had_something_to_complain_about(tmp_path):
    text = html.text([made_analysis()], {}).replace("<main>", '<main><script src="x.js"></script>')
    assert any("Content Security Policy" in line for line in opened(text, tmp_path)[1])


def test_the_answers_and_the_pictures_are_in_the_page(report):
    page = Page(report[0])
    assert "The answer is here." in page.text
    assert "ring is faster than mutex from 1 to 16 threads." in page.text
    assert page.tags.count("svg") == 6  # each question's picture for wide and for narrow windows


def test_hostile_names_are_text(report):
    page = Page(report[0])
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert page.text.count(HOSTILE) > 5
    assert re.search(r"<title>3 questions, measured</title>", report[0])


def test_nothing_in_the_page_leads_out_of_it(report):
    references = Page(report[0]).references
    assert references
    assert all(value.startswith(("#", "data:")) for value in references)


def test_the_policy_stops_a_request_that_slipped_in(tmp_path):
    text = html.text([made_analysis()], {}).replace("<main>", '<main><img src="http://127.0.0.1:9/x.png">')
    assert any("violates" in line and "img-src" in line for line in opened(text, tmp_path)[1])
