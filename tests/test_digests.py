"""What is shown of recorded runs, and what is planned, is what tests/digests.json has a digest of.

Who changes it on purpose renews the digests by `python tools/digests.py --write`, and says why in
the commit.
"""

import subprocess
import sys

from benchbook.system import paths


def test_nothing_that_is_shown_of_recorded_runs_has_changed():
    told = subprocess.run(
        [sys.executable, paths.root() / "tools" / "digests.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
