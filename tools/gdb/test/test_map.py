"""The map of addresses by time, and the figures of fragmentation."""

from __future__ import annotations

import html
import itertools
import json
import os
import random
import re
import shutil
import subprocess

import pytest

from conftest import run_command
from fathom_leaks import picture as pictures
from fathom_leaks.bins import COLUMNS, LEVELS, ROWS, Item, bins
from fathom_leaks.fragmentation import Figures, figures, together
from fathom_leaks.heap import Heap
from fathom_leaks.lifetimes import live_bytes
from fathom_leaks.map_page import map_page
from fathom_leaks.options import Options
from fathom_leaks.picture import Picture, Segment
from fathom_leaks.regions import Region, Regions
from fathom_leaks.replay import replay
from fathom_leaks.trace import create_trace
from test_heap import A, alloc, free, timed

C_LIBRARY = ["allocator", 0, "/lib/libc.so.6"]
PROCESS = ["process", 0, 100, "/bin/program", "run", None]
HEAP, ARENA, ELSEWHERE = 0x555555559000, 0x7fffe8000000, 0x7ffff7a00000


def frames(*names):
    """A stack for each name: 0, 1 and so on."""
    yield ["frame", 0, "malloc", None, 0, "/lib/libc.so.6", 16, ["malloc"]]
    for number, name in enumerate(names):
        yield ["frame", number + 1, name, f"/src/{name}.c", 7, "/bin/program", 32, []]
        yield ["stack", number, [0, number + 1], True, [], []]


def process_of(*records):
    heap = Heap(with_lifetimes=True)
    heap.replay(timed(PROCESS, C_LIBRARY, *frames("main"), *records))
    return heap.processes[0]


def region(low, high, name="[heap]"):
    return ["region", 0, low, high, name]


def names(process):
    return [each.name for each in Picture(process).regions]


# Lifetimes.

def test_a_block_lives_from_its_allocation_to_its_free():
    picture = Picture(process_of(alloc(A, 10), alloc(A + 64, 20), free(A)))  # the times are 5, 6, 7
    assert [(life.block.size, life.begin - 5, life.end) for life in picture.lives] == [(10, 0, 7), (20, 1, None)]
    assert live_bytes(picture.lives) == [(5, 10), (6, 30), (7, 20)]
    assert (picture.process.peak_bytes, picture.process.peak_time) == (30, 6)


def test_a_realloc_ends_a_block_and_begins_another():
    moved = [["move", 0, 1, A, 99, 0], ["moved", 0, 1, "realloc", A, 99, A + 64, 0]]
    failed = [["move", 0, 1, A + 64, 999, 0], ["moved", 0, 1, "realloc", A + 64, 999, 0, 0]]
    picture = Picture(process_of(alloc(A, 10), *moved, *failed))
    assert [(life.block.size, life.begin, life.end) for life in picture.lives] == [(10, 5, 7), (99, 7, None)]
    assert live_bytes(picture.lives) == [(5, 10), (7, 99)]


def test_a_child_has_what_it_inherited_from_its_begin_on():
    heap = Heap(with_lifetimes=True)
    heap.replay(timed(PROCESS, C_LIBRARY, *frames("main"), region(0, 0x10000), alloc(A, 10), alloc(A + 64, 20),
                      ["process", 1, 101, "/bin/program", "fork", 0], free(A, process=1), free(A + 64)))
    parent, child = map(Picture, heap.processes)
    assert [(life.block.size, life.begin, life.end) for life in child.lives] == [(10, 8, 9), (20, 8, None)]
    assert [(life.block.size, life.begin, life.end) for life in parent.lives] == [(10, 6, None), (20, 7, 10)]
    assert child.process.peak_bytes == 30
    assert [each.name for each in child.regions] == ["heap"]


# Regions.

def test_regions_are_named_after_what_the_allocator_uses_them_for():
    process = process_of(region(HEAP, HEAP + 0x21000), alloc(HEAP + 0x2a0, 10), region(ARENA, ARENA + 0x21000, ""),
                         alloc(ARENA + 0xb20, 10), region(ELSEWHERE, ELSEWHERE + 0x100000, ""),
                         alloc(ELSEWHERE + 16, 1000000), region(ELSEWHERE - 0x200000, ELSEWHERE - 0x100000, ""),
                         alloc(ELSEWHERE - 0x200000 + 16, 1000000))
    assert names(process) == ["heap", f"arena at {ARENA:#x}", "mapped blocks"]
    assert [each.lent for each in Picture(process).regions] == [False, False, True]


def test_with_another_allocator_every_mapping_is_a_region():
    process = process_of(["allocator", 0, "/bin/program"], region(ARENA, ARENA + 0x1000, ""), alloc(ARENA, 10),
                         region(HEAP, HEAP + 0x1000, "/bin/program"), alloc(HEAP, 10))
    assert names(process) == [f"program at {HEAP:#x}", f"mapping at {ARENA:#x}"]


def test_a_region_that_grows_stays_one():
    process = process_of(region(HEAP, HEAP + 0x1000), alloc(HEAP + 0x100, 10), region(HEAP, HEAP + 0x9000),
                         alloc(HEAP + 0x8000, 10))
    only, = Picture(process).regions
    assert [only.high(time) - HEAP for time in (4, 5, 6, 7, 8)] == [0x100, 0x1000, 0x1000, 0x9000, 0x9000]


def test_blocks_outside_of_the_known_regions_have_pages_of_their_own():
    process = process_of(alloc(HEAP + 0x10, 10), alloc(HEAP + 0x1010, 10), alloc(ELSEWHERE, 0))
    assert names(process) == ["mapped blocks"]
    assert len(Picture(process).regions[0].mappings) == 2


def test_a_region_without_a_block_is_not_shown():
    regions = Regions(process_of(region(HEAP, HEAP + 0x1000), region(ARENA, ARENA + 0x1000, ""), alloc(HEAP, 1)), [])
    assert regions.all == []


def test_the_recorder_notes_the_region_of_every_block(build, mapped):
    _, trace = mapped(build("regions.c"))
    known = []
    checked = 0
    for line in trace.read_text().splitlines():
        kind, _, *fields = json.loads(line)
        if kind == "region":
            known.append((fields[1], fields[2]))
        address = {"alloc": 4, "moved": 5}.get(kind)
        if address is not None:
            assert any(low <= fields[address] < high for low, high in known)
            checked += 1
    assert checked > 8 and len(known) >= 3


# Fragmentation.

def heap_of(*extents, size=0x1000, low=0):
    process = process_of(region(0, size), *(alloc(address, each) for address, each in extents))
    return figures(Region("heap", False, low, tuple(process.mappings)), process.live.values(), 99)


def test_free_memory_in_one_piece_is_not_fragmented():
    assert heap_of((0, 96), (104, 96)) == Figures(192, 2, 4096, 4096 - 200, 4096 - 200)
    assert heap_of((0, 96), (104, 96)).fragmentation == 0


def test_free_memory_in_equal_pieces_is_fragmented():
    four = heap_of((1000, 24), (2024, 24), (3048, 24), size=4072)
    assert (four.free, four.largest, four.fragmentation) == (4000, 1000, 0.75)


def test_headers_and_rounding_are_not_free():
    blocks = [(16 + 32 * number, 0 if number % 2 else 24) for number in range(100)]
    full = heap_of(*blocks, size=16 + 3200, low=16)
    assert (full.free, full.largest, full.fragmentation) == (0, 0, None)


def test_an_empty_region_is_one_gap():
    assert heap_of() == Figures(0, 0, 4096, 4096, 4096)


def test_figures_of_several_regions_are_summed():
    one, other = heap_of((0, 96)), heap_of((1000, 24), size=2024)
    assert together([one, other]) == Figures(120, 2, 6120, 6000, 4000)
    assert together([one, other]).fragmentation == pytest.approx(1 / 3)


def test_mapped_blocks_have_no_gaps():
    process = process_of(region(ELSEWHERE, ELSEWHERE + 0x100000, ""), alloc(ELSEWHERE + 16, 1000000))
    assert Picture(process).figures(99) == [Figures(1000000, 1, 0, 0, 0)]


# Bins.

def cells_by_hand(items, low, high, begin, end):
    """What is in use at each address and time, one by one."""
    grid = {}
    for item in items:
        for address in range(item.low, item.high):
            for time in range(item.begin, item.end):
                grid[address, time] = item
    return [[grid.get((address, time)) for time in range(begin, end)] for address in range(low, high)]


@pytest.mark.parametrize("seed", range(5))
def test_cells_have_what_the_blocks_have(seed):
    """With one cell for each address and time, bins lose nothing."""
    chance = random.Random(seed)
    items = []
    for low in range(0, 40, 4):  # blocks that do not overlap
        time = 0
        while (begin := time + chance.randrange(300)) < COLUMNS:
            time = min(COLUMNS, begin + 1 + chance.randrange(300))
            items.append(Item(100 + low, 100 + low + 1 + chance.randrange(4), begin, time, chance.randrange(4),
                              chance.randrange(3)))
    runs = bins(items, [(100, 140)], 0, COLUMNS)
    drawn = [Item(run.low, run.high, run.begin, run.end, run.site, run.size) for run in runs]

    def colours(each):
        return [[cell and (cell.site, cell.size) for cell in row]
                for row in cells_by_hand(each, 100, 140, 0, COLUMNS)]

    assert colours(drawn) == colours(items)
    assert {run.level for run in runs} == {LEVELS}


def test_a_cell_has_the_colour_of_most_of_its_bytes_and_says_how_full_it_is():
    rows = 1 << 16
    items = [Item(0, rows // 4, 0, 8000, 1, 0), Item(rows // 4, rows // 2, 0, 2000, 2, 1)]
    runs = bins(items, [(0, rows), (1 << 40, (1 << 40) + 400 * rows)], 0, 8000)
    assert {(run.begin, run.end, run.site, run.level) for run in runs} == {
        (0, 2000, 1, 4), (2000, 8000, 1, 2)}


def test_bins_of_a_block_that_is_reused_for_ever_are_one_run():
    items = [Item(0, 1 << 16, time, time + 1, 0, 0) for time in range(100_000)]
    run, = bins(items, [(0, 1 << 16)], 0, 100_000)
    assert run[:4] == (0, 1 << 16, 0, 100_000)


def test_small_segments_do_not_add_rows_to_the_grid():
    small = [(number << 20, (number << 20) + 4096) for number in range(300)]
    large = (1 << 40, (1 << 40) + (1 << 30))
    items = [Item(low, high, 0, 800, 0, 0) for low, high in small]
    items += [Item(low, low + (1 << 20), 0, 100 + number % 600, 0, 0)  # no two rows are equal
              for number, low in enumerate(range(*large, 1 << 20))]
    assert 300 < len({run.low for run in bins(items, [*small, large], 0, 800)}) <= ROWS


def mapped_blocks(count, gap, *others):
    """Blocks of 128 KiB that the allocator has mapped, `gap` bytes apart, and other records. None is where an arena
    could be."""
    places = (ELSEWHERE + 0x1000 + number * ((1 << 17) + gap(number)) for number in range(count))
    return process_of(*others, *(record for low in places
                                 for record in (region(low, low + (1 << 17), ""), alloc(low + 16, (1 << 17) - 16))))


def test_places_of_mapped_blocks_are_joined_if_they_are_too_many_for_a_grid(monkeypatch):
    process = mapped_blocks(3000, lambda _: 1 << 20)
    assert len(Picture(process).segments) == 3000
    monkeypatch.setattr(pictures, "_MOST_BLOCKS", 1000)
    only, = Picture(process).segments  # all gaps are equal
    assert only == (0, ELSEWHERE + 0x1000 + 16, process.mappings[-1].high)


def test_the_largest_gaps_between_mapped_blocks_remain(monkeypatch):
    monkeypatch.setattr(pictures, "_MOST_BLOCKS", 1000)
    found = Picture(mapped_blocks(3000, lambda number: (number // 60) << 28)).segments
    assert 2 <= len(found) <= 64
    assert all(before.high < after.low for before, after in itertools.pairwise(found))


def test_few_mapped_blocks_stay_apart_in_a_grid(monkeypatch):
    process = mapped_blocks(20, lambda _: 1 << 20)
    apart = Picture(process).segments
    monkeypatch.setattr(pictures, "_MOST_BLOCKS", 10)
    assert Picture(process).segments == apart and len(apart) == 20


def test_places_of_mapped_blocks_are_not_joined_across_another_region(monkeypatch):
    monkeypatch.setattr(pictures, "_MOST_BLOCKS", 1000)
    arena = next(low for low in range(ELSEWHERE & -(1 << 26), 1 << 47, 1 << 26)
                 if low > ELSEWHERE and (low - ELSEWHERE - 0x1000) % 0x120000 >= 0x20000)
    below, between, above = sorted(Picture(mapped_blocks(
        3000, lambda _: 1 << 20, region(arena, arena + 0x1000, ""), alloc(arena + 16, 10))).segments,
        key=lambda each: each.low)
    assert between == Segment(0, arena + 16, arena + 26)
    assert below.high <= arena and arena + 0x1000 <= above.low and below.region == above.region == 1


# The page.

def data_of(page):
    text = re.search(r'(?s)<script type="application/json" id="data">(.*?)</script>', page)[1]
    return json.loads(text)


def rows_of(page):
    """The tables: a row of cells each."""
    rows = re.findall(r"<tr><th scope=row>(.*?)</th>(.*?)</tr>", page)
    return [[html.unescape(cell) for cell in (name, *re.findall(r"<td [^>]*>(.*?)</td>", cells))]
            for name, cells in rows]


@pytest.fixture
def mapped(build, tmp_path):
    """The page made live, and its trace."""
    def run(program, *options):
        page, trace = tmp_path / "map.html", tmp_path / "trace"
        done = run_command("--map", page, "--trace", trace, "-o", tmp_path / "report", *options, "--", program)
        assert done.returncode in (0, 1), done.stderr
        return page.read_text(encoding="utf-8"), trace

    return run


def test_the_page_shows_each_block_in_its_region(build, mapped):
    page, _ = mapped(build("regions.c"))
    process, = data_of(page)["processes"]
    heap, arena, blocks = process["regions"]
    assert (heap, arena[:8], blocks) == ("heap", "arena at", "mapped blocks")
    sizes = {size: end is None for _, size, _, end, _, _ in process["blocks"]}
    assert {size: sizes[size] for size in (10000, 4000, 1000, 500, 1 << 20)} == {
        10000: True, 4000: False, 1000: True, 500: False, 1 << 20: False}
    assert all(any(low <= address < high for _, low, high in process["segments"])
               for address, *_ in process["blocks"])


def test_the_figures_of_a_known_heap(build, mapped):
    """Of four blocks of 10,000 bytes, the second and the third are free at the end: a hole of two blocks."""
    page, trace = mapped(build("regions.c"))
    peak, end = ([row[2:] for row in rows_of(page) if row[0] == name and row[1].startswith(when)]
                 for name, when in (("heap", "peak"), ("heap", "end")))
    assert end[0][1] == str(int(peak[0][1]) - 2)  # the blocks
    picture, = [Picture(found.process) for found in replay(str(trace), False, 0, True).processes]
    at_end = picture.figures(picture.process.until)[0]
    at_peak = picture.figures(picture.process.peak_time)[0]
    assert at_end.free - at_peak.free == pytest.approx(20000, abs=64)
    assert at_peak.fragmentation == 0
    assert at_end.fragmentation == pytest.approx(1 - at_peak.free / at_end.free, abs=0.01)
    assert at_end.live == at_peak.live - 20000


def test_forgotten_blocks_leave_the_heap_in_pieces(build, mapped):
    page, _ = mapped(build("levels.cc"))
    peak, end = (row for row in rows_of(page) if row[0] == "heap")
    assert float(peak[-1].rstrip("%")) < 30
    assert float(end[-1].rstrip("%")) > 60
    assert data_of(page)["sites"][0][0].startswith("read_file")


def test_the_page_from_a_trace_equals_the_one_made_live_and_every_later_one(build, mapped, tmp_path):
    for name in ("regions.c", "forks.c", "chains.c"):
        live, trace = mapped(build(name))
        for _ in range(2):
            page = tmp_path / "again.html"
            run_command("--from", trace, "--map", page, "-o", os.devnull)
            assert page.read_text(encoding="utf-8") == live


def test_each_process_has_a_map_and_a_table(build, mapped):
    page, _ = mapped(build("forks.c"))
    assert len(data_of(page)["processes"]) == page.count("<h2>") == 3


def test_the_page_needs_no_network(build, mapped):
    page, _ = mapped(build("calls.c"))
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|\bsrc=|<link|@import|url\(", page)


def test_blocks_have_the_colours_of_the_places_that_request_most(build, mapped):
    page, _ = mapped(build("objects.cc"))
    data = data_of(page)
    assert len(data["sites"]) == 7
    assert any("leak_shelf" in name or "main" in name for name, _ in data["sites"])
    assert not any(name.startswith("std::") for name, _ in data["sites"])


def test_fragmentation_is_unknown_if_not_every_block_is_known(build, mapped):
    page, _ = mapped(build("many.c"), "--sample", "2")
    assert "every 2nd allocation was followed" in page
    page, _ = mapped(build("marks.c"), "--start-at", "phase_begins")
    assert {tuple(row[5:]) for row in rows_of(page)} == {("unknown",) * 3}


def trace_of(path, *records, command=("program",)):
    create_trace(str(path), Options(command))
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in timed(PROCESS, C_LIBRARY, *records))
    return path


def page_of(path):
    return map_page(replay(str(path), False, with_lifetimes=True))


def test_names_cannot_break_the_page(tmp_path):
    evil = "</script><script>alert(1)</script>$title${data}&amp;\udcff"
    page = page_of(trace_of(tmp_path / "trace", *frames(evil), region(HEAP, HEAP + 0x1000), alloc(HEAP, 10),
                            ["note", evil], command=(evil, evil)))
    assert page.count("<script>") == 1 and page.count("</script>") == 2
    assert data_of(page)["sites"][0][0] == evil
    assert "<script>alert" not in page


def test_a_program_without_blocks_has_a_page(tmp_path):
    page = page_of(trace_of(tmp_path / "trace", ["end", 0, "exit", 0]))
    assert [row[0] for row in rows_of(page)] == ["all", "all"]
    assert data_of(page)["processes"][0]["blocks"] == []


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A trace of 60,000 blocks, most of them short-lived."""
    chance = random.Random(3)
    path = tmp_path_factory.mktemp("many") / "trace"

    def calls():
        free_places = list(range(9000))
        used = []
        for number in range(60_000):
            place = free_places.pop(chance.randrange(len(free_places)))
            used.append(place)
            yield alloc(HEAP + 64 * place, 16 + number % 40, stack=number % 3)
            if len(used) > 8000:
                freed = used.pop(chance.randrange(len(used)))
                free_places.append(freed)
                yield free(HEAP + 64 * freed)

    return trace_of(path, *frames("one", "two", "three"), region(HEAP, HEAP + 64 * 9000), *calls(),
                    ["end", 0, "exit", 0])


def test_too_many_blocks_to_draw_are_binned(many):
    page = page_of(many)
    process, = data_of(page)["processes"]
    assert "blocks" not in process
    assert 1000 < len(process["bins"]) < 400 * COLUMNS
    assert len(page) < 8_000_000
    assert len(process["live"]["time"]) <= COLUMNS + 1
    assert max(process["live"]["bytes"]) == process["peak"]["bytes"]


# In a browser.

@pytest.fixture(scope="module")
def browser():
    browsers = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, browsers)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(browsers)} is installed")

    def run(page, script, folder, width=1000):
        """What the script leaves in document.title, and the errors."""
        file = folder / "page.html"
        watch = "<script>window.onerror = (what) => { document.body.dataset.failed = what; };</script>\n"
        watched = page.replace("<script>", watch + "<script>", 1)
        told = f"<script>document.title = JSON.stringify((() => {{ {script} }})());</script></body>"
        file.write_text(watched.replace("</body>", told), encoding="utf-8", errors="backslashreplace")
        done = subprocess.run([found, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               f"--user-data-dir={folder / 'user'}", f"--window-size={width},900", file.as_uri()],
                              capture_output=True, text=True, check=False, timeout=120)
        title = re.search(r"<title>(.*?)</title>", done.stdout)
        if title is None:
            pytest.skip("chromium does not run here: " + done.stderr[-200:])
        assert "data-failed" not in done.stdout
        return json.loads(html.unescape(title[1]))

    return run


PRESS = """
  const canvas = document.getElementById("canvas");
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
  const details = () => document.getElementById("details").textContent;
"""


def test_the_keyboard_reaches_every_block(build, mapped, browser, tmp_path):
    page, _ = mapped(build("regions.c"))
    blocks = data_of(page)["processes"][0]["blocks"]
    count = len(blocks)
    label, told = browser(page, PRESS + f"""
      const told = [];
      for (let i = 0; i < {count}; i++) {{ press("n"); told.push(details()); }}
      return [canvas.ariaLabel ?? canvas.getAttribute("aria-label"), told];
    """, tmp_path)
    assert f"{count} blocks in heap, arena at" in label
    assert all(f" at {block[0]:#x} by" in text for block, text in zip(blocks, told))
    first = next(text for text in told if "9.8 KiB" in text)
    assert "never freed" in first and "in_heap" in first and "regions.c" in first
    assert sum("freed at" in text for text in told) == 5


def test_zoom_filters_and_colours_work(build, mapped, browser, tmp_path):
    page, _ = mapped(build("regions.c"))
    kept, sizes, empty = browser(page, PRESS + """
      document.getElementById("kept").click();
      const kept = new Set();
      for (let i = 0; i < 30; i++) { press("n"); kept.add(details()); }
      const colour = document.getElementById("colour");
      colour.value = "size";
      colour.dispatchEvent(new Event("change"));
      const sizes = [...document.querySelectorAll("#legend button")].map((each) => each.textContent.trim());
      for (const key of "++++-0pp") press(key);
      for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) press(key);
      for (let i = 0; i < 200; i++) press("ArrowUp");
      return [[...kept], sizes, details()];
    """, tmp_path)
    assert kept and all("never freed" in text for text in kept)
    assert "up to 32 KiB" in sizes and "over 128 KiB" in sizes
    assert "no addresses here" in empty


def test_a_binned_map_says_what_is_in_a_cell(many, browser, tmp_path):
    label, told = browser(page_of(many), PRESS + """
      press("n");
      return [canvas.getAttribute("aria-label"), details()];
    """, tmp_path, width=420)
    assert "cells of the time and of the addresses in heap" in label
    assert re.search(r"about \d+ % in use, mostly by (one|two|three) ", told)
