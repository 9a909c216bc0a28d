"""Checks of the machine, with folders as machines."""

from __future__ import annotations

import errno
import io
import itertools
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from fathom_lab import doctor
from fathom_lab.doctor import cgroups, check, machine, noise, speed
from fathom_lab.doctor.check import Finding, State
from fathom_lab.doctor.machine import Machine

CPU = "/sys/devices/system/cpu"
ALL_FLAGS = "fpu tsc constant_tsc nonstop_tsc ht"
UNIFIED = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n22 1 0:21 / /proc rw - proc proc rw\n"


def stat(user: int = 0, idle: int = 0, stolen: int = 0, processors: int = 4) -> str:
    total = f"cpu  {user} 0 0 {idle} 0 0 0 {stolen} 0 0\n"
    return total + "".join(f"cpu{one} 0 0 0 0 0 0 0 0 0 0\n" for one in range(processors)) + "intr 5\n"


def process(pid: int, name: str, ticks: int, start: int = 7) -> str:
    return f"{pid} ({name}) S 1 1 1 0 -1 4194560 0 0 0 0 {ticks} 0 0 0 20 0 1 0 {start} 0 0\n"


def server() -> dict[str, str]:
    """A quiet bare-metal machine with four cores, set up for measuring."""
    files = {
        "/proc/cpuinfo": f"processor\t: 0\nflags\t\t: {ALL_FLAGS}\n",
        "/proc/stat": stat(1000, 9000),
        "/proc/loadavg": "0.00 0.01 0.00 1/100 1234\n",
        "/proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 14000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
        "/proc/self/status": "Name:\tpython3\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-3\n",
        "/proc/self/cgroup": "0::/user.slice\n",
        "/proc/self/mountinfo": UNIFIED,
        "/proc/1/stat": process(1, "systemd", 50),
        "/proc/sys/kernel/randomize_va_space": "2\n",
        "/proc/sys/kernel/perf_event_paranoid": "2\n",
        "/proc/sys/kernel/kptr_restrict": "0\n",
        "/proc/sys/kernel/nmi_watchdog": "0\n",
        "/proc/sys/kernel/numa_balancing": "0\n",
        "/proc/sys/kernel/hostname": "quiet\n",
        "/proc/sys/kernel/random/boot_id": "1a2b\n",
        "/sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
        "/sys/fs/cgroup/user.slice/memory.max": "max\n",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "/sys/devices/system/node/node0/online": "0-3\n",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        "/sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm\n",
        f"{CPU}/online": "0-3\n",
        f"{CPU}/present": "0-3\n",
        f"{CPU}/offline": "\n",
        f"{CPU}/isolated": "\n",
        f"{CPU}/vulnerabilities/meltdown": "Not affected\n",
        f"{CPU}/intel_pstate/no_turbo": "1\n",
        "/run/systemd/system/keep": "",
    }
    for kind in ("cpu", "io", "memory"):
        files[f"/proc/pressure/{kind}"] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
    for one in range(4):
        files[f"{CPU}/cpu{one}/topology/thread_siblings_list"] = f"{one}\n"
        policy = f"{CPU}/cpufreq/policy{one}"
        files[f"{policy}/affected_cpus"] = f"{one}\n"
        files[f"{policy}/scaling_governor"] = "performance\n"
        files[f"{policy}/scaling_available_governors"] = "performance powersave\n"
        files[f"{policy}/scaling_min_freq"] = "800000\n"
        files[f"{policy}/scaling_max_freq"] = files[f"{policy}/cpuinfo_max_freq"] = "3600000\n"
    return files


def laptop() -> dict[str, str]:
    """The same with the defaults of a distribution: saves power, boosts, and has two cores with two threads each."""
    files = server()
    for one in range(4):
        files[f"{CPU}/cpu{one}/topology/thread_siblings_list"] = f"{one % 2},{one % 2 + 2}\n"
        files[f"{CPU}/cpufreq/policy{one}/scaling_governor"] = "powersave\n"
        files[f"{CPU}/cpufreq/policy{one}/energy_performance_preference"] = "balance_performance\n"
    files[f"{CPU}/intel_pstate/no_turbo"] = "0\n"
    files["/sys/kernel/mm/transparent_hugepage/enabled"] = "[always] madvise never\n"
    files["/proc/sys/kernel/nmi_watchdog"] = "1\n"
    files["/proc/sys/kernel/perf_event_paranoid"] = "4\n"
    return files


def guest() -> dict[str, str]:
    """A virtual machine without information about the frequency of its processors."""
    files = {path: text for path, text in server().items() if "cpufreq" not in path and "pstate" not in path}
    files["/proc/cpuinfo"] = f"flags\t\t: {ALL_FLAGS} hypervisor\n"
    return files


def build(
    root: Path,
    files: Mapping[str, str],
    later: Callable[[Path], None] = lambda root: None,
    units: str | None = "",
    answers: Mapping[str, int | None] = {"perf": 0, "io_uring": errno.EFAULT},
    namespace: str = machine.FIRST_PROCESSES,
    spins: Sequence[float] = (0.01,),
) -> Machine:
    """Between the two samples no time passes, but `later` is called, and the ticks of /proc/stat advance. Each spin
    takes the next of `spins`, in seconds, and begins again after the last."""
    for path, text in files.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    spaces = root / "proc/self/ns"
    spaces.mkdir(parents=True, exist_ok=True)
    if not (spaces / "pid").is_symlink():
        (spaces / "pid").symlink_to(namespace)

    idle = [9000]

    def wait(seconds: float) -> None:
        idle[0] += 400  # 100 ticks on each processor
        if files.get("/proc/stat") == server()["/proc/stat"]:
            (root / "proc/stat").write_text(stat(1000, idle[0]))
        later(root)

    return Machine(root, wait, lambda command: units, answers.get, pid=4711, spin=itertools.cycle(spins).__next__)


def found(one: Machine) -> dict[str, Finding]:
    findings = doctor.examine(one)
    assert len({finding.name for finding in findings}) == len(findings)
    return {finding.name: finding for finding in findings}


def states(one: Machine, state: State) -> set[str]:
    return {name for name, finding in found(one).items() if finding.state is state}


# Whole machines


def test_nothing_disturbs_on_a_quiet_server_that_was_set_up_for_measuring(tmp_path: Path):
    quiet = build(tmp_path, server())
    assert states(quiet, State.WARNING) == set()
    assert states(quiet, State.UNKNOWN) == set()
    out = io.StringIO()
    assert doctor.command(False, False, False, None, out, quiet) == 0
    assert out.getvalue().endswith("Nothing disturbs measurements; 0 cannot be seen from here.\n")


def test_a_laptop_has_warnings_for_governor_turbo_smt_huge_pages_and_watchdog(tmp_path: Path):
    warned = states(build(tmp_path, laptop()), State.WARNING)
    assert warned == {"governor", "energy-preference", "turbo", "smt", "huge-pages", "nmi-watchdog"}


def test_what_a_virtual_machine_cannot_see_is_unknown_and_never_ok(tmp_path: Path):
    findings = found(build(tmp_path, guest(), answers={"perf": errno.ENOENT, "io_uring": errno.EFAULT}))
    unknown = {name for name, one in findings.items() if one.state is State.UNKNOWN}
    assert unknown == {"governor", "turbo", "smt", "steal", "perf-counters"}
    assert findings["virtual-machine"].state is State.INFORMATION
    assert "host controls it" in findings["governor"].found


def test_a_container_shows_its_quota_memory_limit_and_denied_features(tmp_path: Path):
    files = {
        **server(),
        "/.dockerenv": "",
        "/proc/self/cgroup": "0::/\n",
        "/sys/fs/cgroup/cpu.max": "150000 100000\n",
        "/sys/fs/cgroup/cpu.stat": "usage_usec 5\nnr_periods 90\nnr_throttled 17\n",
        "/sys/fs/cgroup/memory.max": str(2 << 30),
    }
    answers = {"perf": errno.EPERM, "io_uring": errno.EPERM}
    findings = found(build(tmp_path, files, answers=answers, namespace="pid:[4026532000]"))
    assert findings["cpu-quota"].state is State.WARNING
    assert findings["cpu-quota"].found == "1.5 processors, throttled 17 times so far"
    assert findings["cpu-quota"].fix.startswith("docker update --cpus")
    assert (findings["memory-limit"].state, findings["memory-limit"].found) == (State.INFORMATION, "2.0 GiB")
    assert findings["container"].found == "docker"
    assert findings["perf-counters"].state is State.UNKNOWN
    assert findings["io-uring"].found == "denied by a filter"
    assert findings["hidden-processes"].state is State.UNKNOWN


def test_a_virtual_machine_made_from_a_containers_files_is_not_a_container(tmp_path: Path):
    one = build(tmp_path, {**guest(), "/.dockerenv": ""})
    (tmp_path / "proc/self/ns/cgroup").symlink_to("cgroup:[4026531835]")
    assert found(one)["container"].found == "no sign of one"


def test_on_an_empty_machine_everything_is_unknown(tmp_path: Path):
    findings = found(build(tmp_path, {}, answers={}, namespace="?", spins=[0.0]))
    fine = {name for name, one in findings.items() if one.state is State.OK}
    assert fine == {"container"}
    assert not any(one.state is State.WARNING for one in findings.values())


# Hostile content


NUMBERS = ("-1", "9" * 5000, "nan", "0-", "5-2", "0-99999999", "²٣")
GARBAGE = (*NUMBERS, "", "\n", "\0\0\0", "\x1b[31mred\x1b[0m", "[", "]", "é", ":" * 99)


@pytest.mark.parametrize("seed", range(30))
def test_no_check_fails_on_garbage(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    files = {**laptop(), "/proc/99/stat": "", "/proc/self/personality": "", "/proc/1/cgroup": "", "/proc/swaps": ""}
    files = {path: chance.choice(GARBAGE) if chance.random() < 0.7 else text for path, text in files.items()}
    one = build(tmp_path, files, units=chance.choice(GARBAGE))
    out = io.StringIO()
    assert doctor.command(False, False, False, None, out, one) in (0, 1)
    assert "\x1b" not in out.getvalue() and "\0" not in out.getvalue()


def test_garbage_is_unknown_and_neither_good_nor_bad(tmp_path: Path):
    files = dict.fromkeys(server(), "\x1b]0;garbage")
    findings = found(build(tmp_path, files, units=None, spins=[math.nan]))
    # Governors and clock sources are arbitrary names.
    assert {name for name, one in findings.items() if one.state is State.WARNING} == {"governor", "clock-source"}
    fine = {name for name, one in findings.items() if one.state is State.OK}
    assert fine <= {"container", "numa-balancing", "hidden-processes", "perf-counters", "io-uring"}


def test_a_file_that_cannot_be_read_is_reported_as_such(tmp_path: Path):
    files = server()
    del files["/proc/sys/kernel/randomize_va_space"]
    one = build(tmp_path, files)
    assert found(one)["aslr"].found == "/proc/sys/kernel/randomize_va_space does not exist"
    (tmp_path / "proc/sys/kernel/randomize_va_space").mkdir()  # a directory: open fails, even as root
    aslr = found(one)["aslr"]
    assert (aslr.state, aslr.found) == (State.UNKNOWN, "/proc/sys/kernel/randomize_va_space cannot be read")


def test_a_huge_file_is_read_only_in_part(tmp_path: Path):
    one = build(tmp_path, server())
    with open(tmp_path / "proc/loadavg", "wb") as file:
        file.truncate(1 << 40)
    assert found(one)["load"].state is State.UNKNOWN


def test_a_process_cannot_write_to_the_terminal_through_its_name(tmp_path: Path):
    files = {**server(), "/proc/66/stat": process(66, "a) S (\x1b[2J\nb[red]", 0)}

    def later(root: Path) -> None:
        (root / "proc/66/stat").write_text(process(66, "a) S (\x1b[2J\nb[red]", 90))

    out = io.StringIO()
    assert doctor.command(False, False, False, None, out, build(tmp_path, files, later)) == 1
    assert "\x1b" not in out.getvalue()
    assert "b[red]" in out.getvalue()


# Frequency


def test_the_governor_is_fine_where_the_clock_cannot_move(tmp_path: Path):
    files = laptop()
    for one in range(4):
        files[f"{CPU}/cpufreq/policy{one}/scaling_min_freq"] = "3600000\n"
    assert found(build(tmp_path, files))["governor"].state is State.OK


def test_governors_are_reported_with_the_processors_that_have_them(tmp_path: Path):
    files = {**server(), f"{CPU}/cpufreq/policy2/scaling_governor": "schedutil\n"}
    governor = found(build(tmp_path, files))["governor"]
    assert governor.state is State.WARNING
    assert governor.found == "performance on 0-1,3, schedutil on 2"
    assert [change.path for change in governor.changes] == [f"{CPU}/cpufreq/policy2/scaling_governor"]


def test_a_governor_that_the_driver_does_not_offer_is_not_suggested(tmp_path: Path):
    files = laptop()
    for one in range(4):
        files[f"{CPU}/cpufreq/policy{one}/scaling_available_governors"] = "powersave schedutil\n"
    governor = found(build(tmp_path, files))["governor"]
    assert (governor.state, governor.fix, governor.changes) == (State.WARNING, "", ())


@pytest.mark.parametrize(
    ("path", "on", "off"),
    [
        (f"{CPU}/intel_pstate/no_turbo", "0", "1"),
        (f"{CPU}/cpufreq/boost", "1", "0"),
        (f"{CPU}/cpufreq/policy0/boost", "1", "0"),
    ],
)
def test_turbo_is_seen_by_whichever_switch_there_is(tmp_path: Path, path: str, on: str, off: str):
    files = server()
    del files[f"{CPU}/intel_pstate/no_turbo"]
    one = build(tmp_path, {**files, path: on})
    turbo = found(one)["turbo"]
    assert (turbo.state, turbo.fix) == (State.WARNING, f"echo {off} | sudo tee {path}")
    (tmp_path / path.lstrip("/")).write_text(off)
    assert found(one)["turbo"].state is State.OK


def test_fast_and_slow_processors_are_distinguished(tmp_path: Path):
    files = server()
    for one in (2, 3):
        files[f"{CPU}/cpufreq/policy{one}/cpuinfo_max_freq"] = "2400000\n"
    limits = found(build(tmp_path, files))["frequency-range"]
    assert limits.state is State.WARNING
    assert limits.fix == "taskset -c 0-1 fathom-lab run EXPERIMENT"


# Processors


def test_smt_is_not_a_warning_when_only_one_thread_of_each_core_may_be_used(tmp_path: Path):
    one = build(tmp_path, {**laptop(), "/proc/self/status": "Cpus_allowed_list:\t0-1\n"})
    findings = found(one)
    assert findings["smt"].state is State.INFORMATION
    assert findings["affinity"].found == "may use 0-1 of 0-3"


def test_the_command_against_smt_takes_one_thread_of_each_core(tmp_path: Path):
    assert found(build(tmp_path, laptop()))["smt"].fix == "taskset -c 0-1 fathom-lab run EXPERIMENT"


def test_several_isolated_processors_are_a_trap(tmp_path: Path):
    isolation = found(build(tmp_path, {**server(), f"{CPU}/isolated": "2-3\n"}))["isolation"]
    assert isolation.state is State.WARNING
    assert "does not balance" in isolation.meaning


def test_the_rest_of_the_system_is_kept_on_whole_cores(tmp_path: Path):
    files = {**server(), f"{CPU}/online": "0-7\n"}
    for one in range(8):
        files[f"{CPU}/cpu{one}/topology/thread_siblings_list"] = f"{one % 4},{one % 4 + 4}\n"
    fix = found(build(tmp_path, files))["isolation"].fix
    assert "system.slice AllowedCPUs=0-1,4-5 &&" in fix
    assert "bench.slice -p AllowedCPUs=2-3 fathom-lab" in fix


def test_of_several_quotas_the_smallest_counts_wherever_it_is(tmp_path: Path):
    files = {**server(), "/sys/fs/cgroup/cpu.max": "200000 100000\n"}
    files["/sys/fs/cgroup/user.slice/cpu.max"] = "300000 100000\n"
    quota = found(build(tmp_path, files))["cpu-quota"]
    assert quota.found == "2 processors"
    assert quota.fix == "echo max | sudo tee /sys/fs/cgroup/cpu.max"


def test_control_groups_of_the_first_version_are_found_where_they_are_mounted(tmp_path: Path):
    files = {
        **server(),
        "/proc/self/cgroup": "5:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab/inner\n",
        "/proc/self/mountinfo": "31 30 0:9 /docker/ab /groups/cpu ro - cgroup cgroup rw,cpu,cpuacct\ntorn line\n",
        "/groups/cpu/inner/cpu.cfs_quota_us": "50000\n",
        "/groups/cpu/inner/cpu.cfs_period_us": "100000\n",
    }
    one = build(tmp_path, files)
    assert cgroups.folders(one, "cpu") == ["/groups/cpu/inner", "/groups/cpu"]
    assert found(one)["cpu-quota"].found == "0.5 processors"


# Noise


def test_a_busy_process_is_named_and_this_one_is_not(tmp_path: Path):
    files = {**server(), "/proc/66/stat": process(66, "cc1plus", 500), "/proc/4711/stat": process(4711, "lab", 0)}

    def later(root: Path) -> None:
        (root / "proc/66/stat").write_text(process(66, "cc1plus", 580))
        (root / "proc/4711/stat").write_text(process(4711, "lab", 20))
        (root / "proc/stat").write_text(stat(1100, 9300))  # 100 ticks on each of four processors

    busy = found(build(tmp_path, files, later))["busy-processes"]
    assert (busy.state, busy.found) == (State.WARNING, "of one processor: cc1plus (66) 80%")


def test_work_that_no_process_accounts_for_is_reported(tmp_path: Path):
    def later(root: Path) -> None:
        (root / "proc/stat").write_text(stat(1200, 9200))

    busy = found(build(tmp_path, server(), later))["busy-processes"]
    assert busy.state is State.WARNING
    assert "200% by processes that have ended or are not visible" in busy.found


def test_a_reused_pid_is_not_mistaken_for_the_old_process(tmp_path: Path):
    files = {**server(), "/proc/66/stat": process(66, "old", 90_000, start=1)}

    def later(root: Path) -> None:
        (root / "proc/66/stat").write_text(process(66, "new", 50, start=2))
        (root / "proc/stat").write_text(stat(1050, 9350))

    assert found(build(tmp_path, files, later))["busy-processes"].found == "of one processor: new (66) 50%"


def test_a_clock_that_stands_still_makes_noise_unknown(tmp_path: Path):
    one = build(tmp_path, {**server(), "/proc/stat": stat(1, 1)})
    assert found(one)["busy-processes"].state is State.UNKNOWN


def test_stolen_time_is_a_warning_while_it_is_stolen(tmp_path: Path):
    def later(root: Path) -> None:
        (root / "proc/stat").write_text(stat(1000, 9380, 20))

    steal = found(build(tmp_path, guest(), later))["steal"]
    assert steal.state is State.WARNING
    assert steal.found.startswith("5.0% right now")


def test_pressure_and_load_are_warnings(tmp_path: Path):
    files = {
        **server(),
        "/proc/loadavg": "1.50 1.00 1.00 2/100 1\n",
        "/proc/pressure/io": "some avg10=18.76 avg60=7.15 avg300=2.27 total=15\nfull avg10=13.12\n",
    }
    findings = found(build(tmp_path, files))
    assert findings["load"].state is State.WARNING
    assert findings["pressure"].state is State.WARNING
    assert "io 18.8 %" in findings["pressure"].found


def test_waiting_timers_are_reported_and_running_ones_are_warnings(tmp_path: Path):
    waiting = "apt-daily.timer loaded active waiting Daily apt\ncron.service loaded active running Cron\n"
    timers = found(build(tmp_path / "a", server(), units=waiting))["timers"]
    assert (timers.state, timers.fix) == (State.INFORMATION, "sudo systemctl stop apt-daily.timer")
    at_work = waiting + "man-db.service loaded activating start Daily man-db\n"
    assert found(build(tmp_path / "b", server(), units=at_work))["timers"].state is State.WARNING
    assert found(build(tmp_path / "c", server(), units=None))["timers"].state is State.UNKNOWN


# Memory, clock, kernel


def test_swap_in_use_is_a_warning_only_when_memory_is_scarce(tmp_path: Path):
    text = "MemTotal: 1000000 kB\nMemAvailable: {} kB\nSwapTotal: 1000000 kB\nSwapFree: 900000 kB\n"
    plenty = found(build(tmp_path / "a", {**server(), "/proc/meminfo": text.format(800_000)}))
    assert (plenty["memory"].state, plenty["swap"].state) == (State.OK, State.INFORMATION)
    scarce = found(build(tmp_path / "b", {**server(), "/proc/meminfo": text.format(50_000)}))
    assert (scarce["memory"].state, scarce["swap"].state) == (State.WARNING, State.WARNING)
    assert scarce["swap"].fix == ""  # the swapped memory would not fit


def test_numa_balancing_matters_with_several_nodes_only(tmp_path: Path):
    files = {**server(), "/proc/sys/kernel/numa_balancing": "1\n"}
    assert found(build(tmp_path / "a", files))["numa-balancing"].state is State.OK
    files["/sys/devices/system/node/node1/online"] = "\n"
    assert found(build(tmp_path / "b", files))["numa-balancing"].state is State.WARNING


@pytest.mark.parametrize(
    ("source", "state"),
    [("tsc", State.OK), ("kvm-clock", State.INFORMATION), ("hpet", State.WARNING), ("", State.UNKNOWN)],
)
def test_a_clock_source_is_judged_by_the_cost_of_reading_it(tmp_path: Path, source: str, state: State):
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    assert found(build(tmp_path, {**server(), path: source}))["clock-source"].state is state


def test_a_time_stamp_counter_must_be_constant_and_never_stop(tmp_path: Path):
    tsc = found(build(tmp_path, {**server(), "/proc/cpuinfo": "flags\t: fpu tsc constant_tsc\n"}))["tsc"]
    assert (tsc.state, tsc.found) == (State.WARNING, "without nonstop_tsc")


def test_other_architectures_have_no_time_stamp_counter_to_judge(tmp_path: Path):
    findings = found(build(tmp_path, {**server(), "/proc/cpuinfo": "Features\t: fp asimd evtstrm\n"}))
    assert "tsc" not in findings
    assert findings["virtual-machine"].state is State.UNKNOWN


def test_address_randomization_is_good_and_its_absence_a_warning(tmp_path: Path):
    off = found(build(tmp_path / "a", {**server(), "/proc/sys/kernel/randomize_va_space": "0\n"}))["aslr"]
    assert (off.state, off.changes[0].value) == (State.WARNING, "2")
    own = found(build(tmp_path / "b", {**server(), "/proc/self/personality": "00040000\n"}))["aslr"]
    assert (own.state, own.changes) == (State.WARNING, ())


def test_processes_that_are_hidden_from_this_user_are_unknown_but_not_for_root(tmp_path: Path):
    hidden = UNIFIED.replace("proc rw\n", "proc rw,hidepid=invisible\n")
    files = {**server(), "/proc/self/mountinfo": hidden}
    assert found(build(tmp_path / "a", files))["hidden-processes"].state is State.UNKNOWN
    files["/proc/self/status"] = "CapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-3\n"
    assert found(build(tmp_path / "b", files))["hidden-processes"].state is State.OK


# Lists of processors


def test_lists_of_processors_are_read_and_written():
    assert machine.to_list("0-3,8") == [0, 1, 2, 3, 8]
    assert machine.to_list("") == []
    assert machine.from_list([8, 0, 1, 3, 2]) == "0-3,8"
    for wrong in ("0-", "-1", "3-1", "a", "0-999999", "0-9999999", ",", "1,,2"):
        assert machine.to_list(wrong) is None


# The speed of a processor


def test_a_processor_at_one_speed_is_fine_even_where_no_setting_can_be_seen(tmp_path: Path):
    one = found(build(tmp_path, guest(), spins=[0.01]))["clock-frequency"]
    assert (one.state, one.found) == (
        State.OK, "40 additions/µs (lowest 40, highest 40, 100 samples); nine of ten are within 0.0%")


@pytest.mark.parametrize("slow, state", [(0.01015, State.OK), (0.0103, State.INFORMATION), (0.011, State.WARNING)])
def test_a_processor_whose_speed_moves_is_judged_by_how_far(tmp_path: Path, slow: float, state: State):
    assert found(build(tmp_path, server(), spins=[0.01, slow]))["clock-frequency"].state is state


def test_an_interrupt_now_and_then_is_shown_but_is_no_change_of_frequency(tmp_path: Path):
    one = found(build(tmp_path, server(), spins=[*[0.01] * 30, 0.02]))["clock-frequency"]
    assert one.state is State.OK
    assert "lowest 20, highest 40" in one.found


def test_a_clock_that_hardly_moves_ends_the_samples_and_one_that_stands_still_makes_them_unknown(tmp_path: Path):
    hardly = build(tmp_path, server(), spins=[1e-9])
    assert "1000 samples" in next(iter(speed.check(hardly))).found
    assert next(iter(speed.check(build(tmp_path, server(), spins=[0.0])))).state is State.UNKNOWN
    assert next(iter(speed.check(build(tmp_path, server(), spins=[0.6])))).state is State.UNKNOWN  # two samples


def test_the_real_spin_takes_processor_time():
    assert 0 < Machine().spin() < 60


# Output


def test_warnings_come_first_and_the_most_costly_first_among_them(tmp_path: Path):
    findings = doctor.examine(build(tmp_path, laptop()))
    order = [list(State).index(one.state) for one in findings]
    assert order == sorted(order)
    warned = [one.name for one in findings if one.state is State.WARNING]
    assert warned == ["governor", "energy-preference", "turbo", "smt", "huge-pages", "nmi-watchdog"]


def test_each_name_has_its_place_in_the_order(tmp_path: Path):
    files = {**laptop(), f"{CPU}/cpu0/thermal_throttle/core_throttle_count": "3\n"}
    assert set(found(build(tmp_path, files))) == set(check.BY_COST)


@pytest.mark.parametrize("width", [40, 72, 100, 200])
def test_everything_except_commands_fits_the_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int):
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    doctor.command(False, False, False, None, out, build(tmp_path, laptop()))
    lines = out.getvalue().splitlines()
    assert max(len(line) for line in lines if not line.lstrip().startswith("$ ")) <= width
    assert f"$ echo 1 | sudo tee {CPU}/intel_pstate/no_turbo" in out.getvalue()  # not wrapped
    assert all(line == line.rstrip() for line in lines)


def test_colours_are_for_terminals_that_want_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    one = build(tmp_path, laptop())
    coloured, plain, piped = Terminal(), Terminal(), io.StringIO()
    doctor.command(False, False, False, None, coloured, one)
    doctor.command(False, False, False, None, piped, one)
    monkeypatch.setenv("NO_COLOR", "1")
    doctor.command(False, False, False, None, plain, one)
    assert "\x1b[1;33m" in coloured.getvalue()
    assert "\x1b[1;33m" not in plain.getvalue()
    assert "\x1b" not in piped.getvalue()


def test_json_contains_everything_in_the_text(tmp_path: Path):
    out = io.StringIO()
    assert doctor.command(False, False, True, None, out, build(tmp_path, laptop())) == 1
    table = json.loads(out.getvalue())
    governor = next(one for one in table["findings"] if one["name"] == "governor")
    assert governor["state"] == "warning"
    assert governor["found"] == "powersave"
    assert governor["needs"] == "root"
    assert governor["applies"] is True
    assert (table["disturbing"], table["unknown"], table["changes"]) == (6, 0, [])


def test_nothing_is_written_without_apply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a value was written")

    monkeypatch.setattr(Machine, "write", refuse)
    doctor.command(False, False, False, tmp_path / "state.json", io.StringIO(), build(tmp_path / "root", laptop()))
    assert not (tmp_path / "state.json").exists()


def test_the_two_samples_are_apart(tmp_path: Path):
    waited: list[float] = []
    one = build(tmp_path, server())
    list(noise.check(Machine(tmp_path, waited.append, one.run, one.ask_kernel, one.pid)))
    assert waited == [1.0]


def test_this_machine_can_be_examined():
    one = Machine(wait=lambda seconds: None)
    assert {finding.name for finding in doctor.examine(one)} <= set(check.BY_COST)
