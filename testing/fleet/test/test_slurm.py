"""A cluster of two nodes: jobs that run, nodes that fail, and what is left at the end."""

import pathlib

import pytest

import slurm as slurm_module
from machine import processes_in
from slurm import NODES, Slurm
from waiting import PATIENCE, until


def test_srun_reaches_both_nodes(slurm):
    assert slurm.run(["srun", "-N2", "hostname"]).stdout == "cluster\n" * 2
    named = slurm.run(["srun", "-N2", "sh", "-c", "echo $SLURMD_NODENAME"]).stdout
    assert sorted(named.split()) == list(NODES)


def test_a_job_of_sbatch_runs_and_writes_into_its_folder(slurm, tmp_path):
    job = slurm.submit("#!/bin/sh\n#SBATCH -N2 --output=said\nsrun hostname\necho $SLURM_NNODES nodes\n", tmp_path)
    slurm.wait_for(job)
    assert (tmp_path / "said").read_text(encoding="utf-8") == "cluster\ncluster\n2 nodes\n"


def test_a_job_that_fails_says_so(slurm, tmp_path):
    job = slurm.submit("#!/bin/sh\nexit 3\n", tmp_path)
    slurm.wait_for(job, ["FAILED"])


def test_a_cancelled_job_ends(slurm, tmp_path):
    job = slurm.submit("#!/bin/sh\necho begun > begun\nexec sleep infinity\n", tmp_path)
    until((tmp_path / "begun").exists, "the job")
    slurm.run(["scancel", job])
    slurm.wait_for(job, ["CANCELLED"])


def test_a_node_that_fails_comes_back(slurm):
    slurm.kill_node("n1")
    refused = slurm.run(["srun", "--nodelist=n1", "--immediate=1", "true"], check=False)
    assert refused.returncode != 0
    assert slurm.run(["srun", "--nodelist=n2", "sh", "-c", "echo $SLURMD_NODENAME"]).stdout == "n2\n"
    slurm.start_node("n1")
    until(lambda: slurm.run(["srun", "-N2", "true"], check=False, patience=PATIENCE).returncode == 0, "both nodes")


def test_nothing_is_left(tmp_path):
    if reason := slurm_module.why_not():
        pytest.skip(reason)
    places = [pathlib.Path("/run/munge"), pathlib.Path("/run/slurm"), pathlib.Path("/etc/slurm/slurm.conf")]
    before = [place.exists() for place in places]
    with Slurm() as slurm:
        used = slurm.machine.namespaces()
        slurm.submit("#!/bin/sh\nexec sleep infinity\n", tmp_path)
        until(lambda: "sleep" in slurm.run(["ps", "-A", "-o", "comm"]).stdout, "the job")
    assert not processes_in(used)
    assert [place.exists() for place in places] == before
