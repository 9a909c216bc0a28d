import html as standard_html
import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fathom_lab import experiment, formatting
from fathom_lab.errors import LabError
from fathom_lab.experiment import KNOWN_MEASURES
from fathom_lab.records import Launch
from fathom_lab.report import html, markdown, pictures, seed_table
from fathom_lab.report.pictures import scales
from fathom_lab.rows import Failure, Interval
from made_analysis import (
    exact_row,
    made_again,
    made_analysis,
    made_experiment,
    made_launches,
    made_row,
    scaling_analysis,
)

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)"> $x^2$ a|b `c` \x00 \ud800'
MEMORY = KNOWN_MEASURES["peak_memory"]


def hostile_analysis():
    of = made_experiment(["mutex", HOSTILE], name=HOSTILE, question=HOSTILE, about=HOSTILE,
                         goal=[{"at_most": 1, "of": HOSTILE, "says": HOSTILE, "conditions": HOSTILE}])
    failure = Failure(HOSTILE, (), 1, 10, HOSTILE, f"</pre></details>{HOSTILE}")
    row = made_row(HOSTILE, 0.5, notes=(HOSTILE,), diagnostics={HOSTILE: (1.0, 2.0)})
    return made_analysis([row], of=of, failures=[failure], missing={HOSTILE: HOSTILE}, answer=HOSTILE)


def page(*analyses, environment=None, launches=None):
    return html.text(analyses, environment or {}, launches)


def text_of(markup):
    return " ".join(standard_html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", markup, flags=re.DOTALL)).split())


# HTML


def test_the_answer_comes_before_anything_else_of_the_question():
    text = text_of(page(made_analysis(answer="ring is twice as fast.")))
    assert text.count("ring is twice as fast.") == 2  # in the summary, and below its question
    assert text.index("ring is twice as fast.") < text.index("interval")


def test_every_question_has_a_line_in_the_summary_that_leads_to_it():
    made = page(made_analysis(), scaling_analysis())
    summary = made[made.index('<ol class="summary">'):made.index("</ol>")]
    targets = re.findall(r'href="#([^"]*)"', summary)
    assert targets == ["question-1", "question-2"]
    assert all(made.count(f'id="{target}"') == 1 for target in targets)
    assert "Which queue scales best?" in summary


def test_nothing_that_users_have_named_becomes_markup():
    made = page(hostile_analysis(), environment={"host": HOSTILE, HOSTILE: {"a": [HOSTILE]}, "command": HOSTILE})
    assert "<script" not in made
    assert "<img" not in made
    assert made.count("&lt;script&gt;") > 10


def test_the_page_refers_to_nothing_but_itself():
    made = page(made_analysis(), scaling_analysis(), environment={"host": "a"})
    for name, value in re.findall(r'\b(src|href|action|data|poster)="([^"]*)"', made):
        assert value.startswith(("#", "data:")), (name, value)
    assert "@import" not in made
    assert all(url.startswith("#") for url in re.findall(r"url\(([^)]*)\)", made))


def test_the_page_forbids_all_requests():
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page(made_analysis()))[1]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy


def test_ids_are_unique_over_all_pictures():
    ids = re.findall(r'\bid="([^"]*)"', page(made_analysis(), scaling_analysis(), made_analysis()))
    repeated = {one for one in ids if ids.count(one) > 1}
    assert not repeated


def test_a_page_can_be_written_twice_and_is_the_same():
    assert page(made_analysis(), scaling_analysis()) == page(made_analysis(), scaling_analysis())


def test_a_verdict_is_a_word_and_a_sign():
    made = page(made_analysis([made_row(ratio=0.5), made_row("slow", 1.5), made_row("same", 1.0, noise=0.001)]))
    text = text_of(made)
    assert "▲ 1 faster ▼ 1 slower = 1 no difference" in text
    assert text.index("▲ faster") < text.index("▼ slower") < text.index("= no difference")


def test_the_table_says_how_sure_it_is_and_how_little_could_be_seen():
    row = made_row(ratio=0.5)
    text = text_of(page(made_analysis([row])))
    assert "ring ▲ faster" in text and "verdict median ratio (by round) interval visible from rounds" in text
    assert f" 0.500 {row.interval.low:.3f} to {row.interval.high:.3f} 2.1 % 10" in text
    assert "mutex again (A/A)" in text


def test_failures_are_reported_by_name_with_what_was_printed():
    failure = Failure("ring", (("threads", 4),), 2, 10, "it was killed by signal 11", "Segmentation fault")
    text = text_of(page(made_analysis(failures=[failure])))
    assert "ring at threads 4 failed in 2 of 10 launches: it was killed by signal 11 Segmentation fault" in text
    assert "✕ 1 failed" in text


def test_a_contender_that_could_not_run_is_reported_with_the_reason():
    text = text_of(page(made_analysis(missing={"boost": "libboost is not installed"})))
    assert "Did not run boost : libboost is not installed" in text


def test_an_interrupted_run_says_so():
    assert "interrupted" in text_of(page(made_analysis(complete=False)))


def test_without_any_row_the_page_says_that_there_is_nothing():
    text = text_of(page(made_analysis([], [], answer="Nothing could be compared.")))
    assert "Nothing to draw" in text


def test_no_question_is_a_page_too():
    assert "Nothing was measured." in text_of(page())


def test_probes_are_shown_and_missing_ones_are_reported():
    of = made_experiment(["mutex", "ring", "other"])
    rows = [made_row(diagnostics={"run_delay": (0.0012, 0.3), "oddity": (1.0, 2.0)}), made_row("other", 1.0)]
    text = text_of(page(made_analysis(rows, of=of)))
    assert re.search(r"run delay time that threads were ready .* 300 ms 1\.20 ms not available", text)
    assert "oddity 2 1 not available" in text


def test_without_probes_the_reason_is_not_available():
    text = text_of(page(made_analysis()))
    assert "Diagnostics Not available." in text


def test_every_repetition_of_every_launch_is_there():
    launches = [Launch(0, 0, "ring", (), 0.0, ({"time": 1.25e-9}, {"time": 1.5e-9})),
                Launch(1, 0, "ring", (), 0.0, (), failure="it took too long"),
                Launch(-1, 0, "ring", (), 0.0, ({"time": 777.0},))]
    text = text_of(page(made_analysis(), launches={"ring": launches}))
    assert "Time, in ns contender values ring 1.25,1.5 failed" in text
    assert "777" not in text


def test_without_launches_the_raw_numbers_are_the_rows():
    analysis = made_analysis()
    text = text_of(page(analysis))
    text = text[text.index("Raw numbers"):]
    for value in (*analysis.rows[0].values, *analysis.rows[0].baseline_values):
        assert f"{value / 1e-9:.5g}" in text


def test_a_measure_that_nobody_reported_has_no_raw_numbers():
    of = made_experiment(measures=["time", "peak_memory"])
    launches = [Launch(0, 0, "ring", (), 0.0, ({"time": 1.25e-9},))]
    text = text_of(page(made_analysis(of=of), launches={"ring": launches}))
    assert "Peak memory" not in text[text.index("Raw numbers"):]


def test_raw_numbers_have_a_limit_and_say_what_is_omitted():
    of = made_experiment(measures=["time", "peak_memory"])
    values = tuple({"time": 1.2345e-9, "peak_memory": 1.0} for _ in range(100))
    launches = [Launch(number, 0, "ring", (), 0.0, values) for number in range(1000)]
    made = page(made_analysis(of=of), launches={"ring": launches})
    assert "Medians of launches; the run&#39;s folder has all repetitions" in made
    assert len(made) < 200_000


def test_twenty_large_questions_stay_below_two_megabytes():
    large = scaling_analysis([f"contender {index}" for index in range(6)])
    one, two = (len(page(*[large] * count, launches={"scaling": made_launches(large)}).encode()) for count in (1, 2))
    assert one + 19 * (two - one) < 2_000_000


def test_other_measures_have_tables_of_their_own():
    of = made_experiment(measures=["time", "peak_memory"])
    rows = [made_row(), made_row(ratio=1.2, measure=MEMORY, value=97517568)]
    text = text_of(page(made_analysis(rows, [made_again()], of=of)))
    assert re.search(rf"Other measures .*Peak memory, less is better.* ▼ worse {formatting.size(rows[1].value)} ", text)


def test_the_environment_is_shown_flat_and_its_best_part_at_the_top():
    environment = {"host": "bench-1", "processors": [0, 1], "commit": "c0ffee" * 7, "dirty": True,
                   "governor": "unknown", "cpu": {"model": "A"}}
    text = text_of(page(made_analysis(), environment=environment))
    assert "bench-1 · 2 processors · commit c0ffeec0ffee with changes" in text
    assert "cpu.model A" in text
    assert "governor unknown" in text


def test_the_command_that_measures_it_again_is_there():
    assert "fathom-lab run ring --rounds 10" in text_of(page(made_analysis()))
    assert "fathom-lab ab A B ring" in text_of(page(made_analysis(), environment={"command": "fathom-lab ab A B ring"}))


def test_a_page_that_cannot_be_written_is_reported(tmp_path):
    with pytest.raises(LabError, match="cannot be written"):
        html.write([made_analysis()], {}, tmp_path)


# Pictures


def test_a_single_point_is_drawn_as_ratios_with_the_baseline_compared_with_itself():
    made = pictures.picture(made_analysis(), 760)
    assert "mutex again (A/A)" in made.svg
    assert "relative to mutex" in made.caption
    assert made.about == "Compared with mutex: ring: 2.0 times as fast, faster"


def test_names_stand_right_of_the_axis_where_no_line_crosses_them():
    for width in (350, 760):
        svg = pictures.picture(made_analysis(), width).svg
        axis = re.search(r'<clipPath id="\w+"><rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
        right = float(axis[1]) + float(axis[2])
        for text in ("ring", "mutex again (A/A)", "0.500  faster"):
            where = rf'translate\(([\d.]+) [\d.]+\)">{re.escape(text)}<|x="([\d.]+)"[^>]*>{re.escape(text)}<'
            place = re.search(where, svg)
            assert place and right < float(place[1] or place[2]) < width


def test_rows_without_a_place_on_the_scale_are_counted():
    rows = [made_row(), made_row("other", interval=Interval(0.0, 2.0, 0.95))]
    caption = pictures.picture(made_analysis(rows, of=made_experiment(("mutex", "ring", "other"))), 760).caption
    assert "1 of 2 rows cannot be drawn: see the table" in caption


def test_curves_of_too_few_rounds_promise_no_interval():
    assert "interval of at least 95 %" in pictures.picture(scaling_analysis(), 760).caption
    few = scaling_analysis()
    cut = [replace(row, values=row.values[:3], baseline_values=row.baseline_values[:3]) for row in few.rows]
    caption = pictures.picture(replace(few, rows=cut), 760).caption
    assert "95 %" not in caption and "with too few rounds for an interval" in caption


def test_a_contender_that_was_given_up_is_reported_as_not_started_again():
    for launches, of, said in ((3, 3, True), (3, 11, False), (11, 11, False), (2, 2, False)):
        text = markdown.text([made_analysis(failures=[Failure("ring", (), launches, of, "it crashed", "")])], {})
        end = ", and was not started again" if said else ""
        assert f"ring failed in {launches} of {of} launches{end}: it crashed" in text


def test_markdown_has_the_verdict_of_the_baseline_compared_with_itself():
    line = next(one for one in markdown.text([made_analysis()], {}).splitlines() if "again (A/A)" in one)
    assert "= no difference" in line


def test_the_page_shows_notes_and_stacks_rows_on_narrow_screens():
    text = html.text([made_analysis()], {"notes": ["the kernel was 1 and is 2"]})
    assert "Note: the kernel was 1 and is 2" in text and 'data-label="interval"' in text


def test_a_parameter_of_numbers_is_drawn_as_curves_with_names_at_their_ends():
    made = pictures.picture(scaling_analysis(), 760)
    assert all(f">{name}</text>" in made.svg for name in ("mutex", "ring", "moodycamel"))
    assert "Less is better" in made.caption
    assert "mutex: " in made.about


def test_a_picture_has_a_dot_for_each_round():
    few, many = (pictures.picture(made_analysis([made_row(rounds=count)], []), 760).svg for count in (10, 30))
    assert many.count("<use") - few.count("<use") == 20


def test_long_notes_have_a_line_of_their_own_and_modes_are_shown_once():
    noted = made_row(notes=("a long note",), modes=(1e-9, 2e-9))
    text = text_of(page(made_analysis([noted, made_row("other", modes=(1e-9, 2e-9))])))
    assert text.count("a long note") == 1
    assert text.count("the values form clusters around 1.00 ns and 2.00 ns") == 1


def test_very_many_dots_become_one_image():
    made = pictures.picture(made_analysis([made_row(rounds=2000)], []), 760)
    assert made.svg.count("data:image/png;base64,") == 1
    assert len(made.svg) < 100_000


def test_colours_follow_the_page():
    made = pictures.picture(made_analysis(), 760)
    assert "var(--ink)" in made.svg
    assert not re.findall(r"(?:fill|stroke): #(?!000000|ffffff)", made.svg)


def test_values_of_nothing_have_no_picture():
    assert pictures.picture(made_analysis([exact_row("ring", 1, 0)], []), 760) is None


def test_counts_of_nothing_at_some_points_are_still_drawn():
    made = scaling_analysis()
    rows = [replace(row, value=0.0, values=(0.0,) * 10) if dict(row.point)["threads"] == 1 else row
            for row in made.rows]
    assert pictures.picture(replace(made, rows=rows), 760) is not None


def test_labels_that_touch_are_moved_apart_around_their_middle():
    assert scales.spread_apart([0, 100], 10) == [0, 100]
    assert scales.spread_apart([50, 50], 10) == [45, 55]
    assert scales.spread_apart([0, 12, 14], 10) == pytest.approx([0, 10, 20], abs=3)
    moved = scales.spread_apart([0, 1, 2, 3, 50], 10)
    assert all(after - before >= 10 - 1e-9 for before, after in itertools.pairwise(moved))


@pytest.mark.parametrize("low, high", [(0.97, 1.04), (0.4, 1.3), (0.01, 250), (1e-7, 1e7), (0.999, 1.001)])
def test_ticks_are_few_round_and_mark_1(low, high):
    ticks = scales.ratio_ticks(low, high, at_most=6)
    assert 2 <= len(ticks) <= 6
    assert any(abs(tick - 1) < 1e-9 for tick in ticks)
    assert all(low <= tick <= high for tick in ticks)


# Markdown


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.mark.parametrize("make", [made_analysis, scaling_analysis, hostile_analysis])
def test_all_rows_of_a_markdown_table_have_as_many_cells(make):
    lines = markdown.text([make()], {}).splitlines()
    tables = [index for index, line in enumerate(lines) if line.startswith("| ---")]
    assert tables
    for rule in tables:
        end = next(index for index in range(rule, len(lines)) if not lines[index].startswith("|"))
        assert len({len(cells(line)) for line in lines[rule - 1:end]}) == 1


def test_markdown_begins_with_the_summary_and_folds_the_rest():
    text = markdown.text([made_analysis(), scaling_analysis()], {"host": "bench-1"})
    assert text.startswith("**2 questions**: 11 faster.")
    assert text.count("<details>") == text.count("</details>") == 2
    assert f"\n| ring | {formatting.seconds(made_row().value)} |" in text
    assert text.rstrip().endswith("<sub>bench-1</sub>")


def test_markdown_of_hostile_names_is_text():
    text = markdown.text([hostile_analysis()], {})
    outside_fences = re.sub(r"^(`{3,})$.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r"<(?!/?details>|/?summary>|/?sub>|!-- -->)", outside_fences)
    assert "a&#124;b" in outside_fences
    assert "\\`c\\`" in outside_fences


def test_what_github_would_make_a_link_stays_text():
    assert markdown.plain("@you #12 http://x.y www.x.y") == "@<!-- -->you #<!-- -->12 http&#58;//x.y www&#46;x.y"
    assert markdown.plain("1. **b** [a](b)\n- c") == "1\\. \\*\\*b\\*\\* \\[a\\](b) - c"


def test_output_cannot_end_its_own_fence():
    failure = Failure("ring", (), 1, 10, "exit code 1", "```\n# heading\n````")
    assert "\n`````\n```\n# heading\n````\n`````\n" in markdown.text([made_analysis(failures=[failure])], {})


# The tables of documents


ECHO = {
    "title": "Mean round trip", "source": "The article", "columns": ["clients", "epoll", "threads"],
    "rows": [[4, 20e-6, 62.5e-6], [1024, 30e-6, "148 µs"]], "where": [{"clients": 4}, {"clients": 1024}],
    "ours": {"epoll": {"contender": "reactor"}, "threads": {"contender": "threads"},
             "speedup": {"contender": "threads", "over": "reactor"}},
    "differs": {"machine": ["eight cores", "{machine}"], "clients": ["4, 1024", "{clients}"]},
}


def echo(clients=(4, 1024), **changes):
    of = made_experiment(["threads", "reactor"], name="echo", parameters={"clients": list(clients)},
                         seed_table={key: value for key, value in (ECHO | changes).items() if value is not None})
    rows = [replace(made_row("reactor", baseline="threads", point=point), value=10e-6, baseline_value=25e-6)
            for point in of.points()]
    return made_analysis(rows, [], of=of)


def test_this_machines_values_stand_beside_the_documents():
    table = seed_table.beside(echo())
    assert [(column.title, column.here) for column in table.columns] == [
        ("clients", False), ("epoll", False), ("epoll", True), ("threads", False), ("threads", True), ("speedup", True)]
    assert table.rows[0] == ["4", "20.0 µs", "10.0 µs", "62.5 µs", "25.0 µs", "2.5 times"]
    assert table.rows[1] == ["1,024", "30.0 µs", "10.0 µs", "148 µs", "25.0 µs", "2.5 times"]


def test_rows_may_be_contenders_and_columns_measures():
    of = made_experiment(["A", "E"], measures=["time", "items_per_second"], seed_table={
        "title": "Tests", "source": "The analysis", "differs": {"machine": ["theirs", "{machine}"]},
        "columns": ["test", "tasks per second", "time per task"],
        "rows": [["A", 3180886, "314 ns"], ["E", 7995729, "125 ns"]], "where": [{"contender": "A"}, {"contender": "E"}],
        "ours": {"tasks per second": {"measure": "items_per_second"}, "time per task": {}}})
    rate = KNOWN_MEASURES["items_per_second"]
    rows = [replace(made_row("E", baseline="A"), value=100e-9, baseline_value=200e-9),
            replace(made_row("E", baseline="A", measure=rate), value=10e6, baseline_value=5e6)]
    assert [list(row) for row in seed_table.beside(made_analysis(rows, [], of=of)).rows] == [
        ["A", "3.18 M/s", "5.00 M/s", "314 ns", "200 ns"], ["E", "8.00 M/s", "10.0 M/s", "125 ns", "100 ns"]]


def test_a_point_that_was_not_measured_is_a_dash():
    analysis = echo()
    table = seed_table.beside(replace(analysis, rows=analysis.rows[:1]))
    assert table.rows[1] == ["1,024", "30.0 µs", "–", "148 µs", "–", "–"]


def test_a_smoke_run_has_fewer_points_and_keeps_the_table():
    assert seed_table.beside(echo(clients=(4,))).rows[1][2] == "–"


@pytest.mark.parametrize(
    "changes, reason",
    [({"ours": {"epoll": {"contender": "reaktor"}}}, "there is no contender reaktor; available: threads, reactor"),
     ({"ours": {"epoll": {"contender": "threads", "over": "reaktor"}}}, "there is no contender reaktor"),
     ({"ours": {"epoll": {}}}, "contender is missing"),
     ({"ours": {"epoll": {"contender": "reactor", "measure": "wall"}}}, "measure must be one of time"),
     ({"ours": {"epoll": {"contender": "reactor", "of": "x"}}}, "unknown: of; known are contender, "),
     ({"ours": {"clients": {"contender": "reactor"}}}, "the first column names the rows"),
     ({"where": [{"clients": 4}]}, "where must have a table for each of the 2 rows"),
     ({"where": [{"client": 4}, {"client": 4}]}, "there is no parameter client"),
     ({"where": []}, "clients has several values"),
     ({"rows": [[4, 1.0]]}, "has 2 cells for 3 columns"),
     ({"where": [{"clients": 4}, {"clients": 5}]}, "the full plan has no clients 5"),
     ({"ours": {"epoll": {"contender": "threads", "over": "reactor", "speedup": "reactor"}}}, "mutually exclusive"),
     ({"ours": {"epoll": {"contender": "threads", "speedup": "reaktor"}}}, "there is no contender reaktor"),
     ({"differs": None}, "differs is missing"),
     ({"differs": {}}, "must be a table with at least machine"),
     ({"differs": {"machine": "theirs"}}, "differs.machine must be two texts, theirs and ours, not 'theirs'"),
     ({"differs": {"machine": ["theirs", " "]}}, "differs.machine must be two texts"),
     ({"differs": {"machine": ["one", "one"]}}, "both texts are 'one', so nothing differs"),
     ({"differs": {"machine": ["one", "{mashine}"]}}, "unknown placeholder {mashine}; available: {machine}, {clients}"),
     ({"title": 3}, "title must be a string"),
     ({"footnote": "x"}, "unknown: footnote")],
)
def test_a_table_that_cannot_be_meant_is_refused_with_the_reason(changes, reason):
    with pytest.raises(LabError, match=reason):
        seed_table.check(echo(**changes).experiment)


def test_a_slip_in_the_table_does_not_cost_the_report():
    broken = echo(ours={"epoll": {"contender": "reactor", "measure": "wall"}})
    assert "measure must be one of time" in text_of(page(broken))
    assert "measure must be one of time" in markdown.text([broken], {})


def test_a_contender_that_was_left_out_is_a_dash_in_the_table():
    table = seed_table.beside(echo(ours={"epoll": {"contender": "reactor"}, "peer": {"contender": "left out"}}))
    assert [table.rows[0][2], table.rows[0][-1]] == ["10.0 µs", "–"]


def test_a_speed_up_is_the_other_contenders_time_divided_by_ones_own():
    table = seed_table.beside(echo(ours={"gain": {"contender": "reactor", "speedup": "threads"}}))
    assert table.rows[0][-1] == "2.5 times"


def test_a_table_says_what_differs_on_which_machine_and_with_which_values():
    differs = seed_table.beside(echo(clients=(4,)), {"machine": "two cores"}).differs
    assert [(one.subject, one.theirs, one.ours) for one in differs] == [
        ("machine", "eight cores", "two cores"), ("clients", "4, 1024", "4")]
    assert [one.ours for one in seed_table.beside(echo()).differs] == ["not known"]  # of clients, nothing differs


def test_a_table_says_which_limits_of_the_kernel_differ():
    given = {"machine": ["theirs", "{machine}"], "tcp_wmem": ["4096 87380 16777216", "{tcp_wmem}"],
             "somaxconn": ["128", "{somaxconn}"]}
    facts = {"tcp_limits": {"tcp_wmem": "4096 16384 4194304", "somaxconn": "128"}}
    assert "| tcp\\_wmem | 4096 87380 16777216 | 4096 16384 4194304 |" in markdown.text([echo(differs=given)], facts)
    assert "somaxconn" not in markdown.text([echo(differs=given)], facts)
    assert "| somaxconn | 128 | not known |" in markdown.text([echo(differs=given)], {})


def test_what_differs_is_in_page_and_markdown():
    facts = {"processor": "i7", "processors": [0, 1], "kernel": "6.1.0-9-amd64", "host": "vm"}
    assert "| machine | eight cores | i7 · 2 processors · Linux 6.1.0 |" in markdown.text([echo()], facts)
    text = text_of(page(echo(), environment=facts))
    assert "what differs there here machine eight cores i7 · 2 processors · Linux 6.1.0" in text


def test_a_run_without_any_value_of_the_table_leaves_it_out():
    assert seed_table.beside(echo(ours={"epoll": {"contender": "left out"}})) is None


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda file: file.stem)
def test_the_table_of_every_experiment_can_be_shown(file):
    seed_table.check(experiment.load(file))


def test_the_documents_table_is_in_page_and_markdown():
    assert "epoll, here" in text_of(page(echo()))
    assert "| clients | epoll | epoll, here | threads | threads, here | speedup, here |" in markdown.text([echo()], {})
