"""What the tests of rooms share: run files of machines that never were."""

from pathlib import Path

import pytest

from benchbook.model.runs import Run


@pytest.fixture
def put(make_run, tmp_path):
    """put("name", {"a": 1000, "b": 1100}, status="incomplete") -> the path of that run file."""

    def write(name: str, speeds: dict[str, float], seed: int = 1, noise=0.01, **changes) -> Path:
        run: Run = make_run(speeds, seed=seed, noise=noise)
        for key, value in {"started": f"2026-01-01T00:{seed:02}:00+00:00", **changes}.items():
            setattr(run, key, value)
        run.path = tmp_path / "files" / f"{name}.json"
        run.save()
        return run.path

    return write
