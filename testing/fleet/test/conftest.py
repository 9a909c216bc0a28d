"""The fixtures of a fleet, for the tests of these fixtures."""

import subprocess
import tempfile

from fleet_fixtures import *  # noqa: F403


def pytest_configure(config):
    """Gives each run a folder of its own: otherwise, parallel runs of a user share one, whose permissions a test
    changes."""
    config.option.basetemp = tempfile.mkdtemp(prefix="fathom-testing-")


def pytest_unconfigure(config):
    subprocess.run(["rm", "-rf", config.option.basetemp], check=False)
