"""The driver behind `fathom fleet`: splits a scan over many workers with Dask distributed.

The work itself is done by `fathom scan --shard`, as a child process of each task; no entry of a filesystem ever passes
through Python. The modules, from the inside out:

  part, plan, budget, pace, allowance   what is known and what to do next: pure, without Dask, files or clocks
  folder, request, selection, moment    what was asked, and what is on disk
  task, worker, versions                what runs on the workers
  place, launcher, credentials          how workers are started
  engine, cluster, quiet                the adapter to Dask
  driver, hosts                         the loops that connect all of these
  cli, arguments, status, progress, output   what users see

docs/FLEET.md describes the command.
"""
