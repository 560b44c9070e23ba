"""How often perf samples: as asked for, and no more often than is cheap."""

import pytest

from benchbook.profiling.profilers import perf


@pytest.mark.parametrize(
    ("of_cpus", "asked", "taken"),
    [(False, 100, 5000), (False, 8000, 8000), (True, 100, 1000), (True, 8000, 8000)],
)
def test_samples_are_taken_no_more_often_than_is_cheap(monkeypatch, of_cpus, asked, taken):
    monkeypatch.setattr(perf, "samples_cpus", lambda: of_cpus)
    assert perf.interval_us(asked) == taken


def test_without_perf_there_are_no_samples(monkeypatch):
    perf.samples.cache_clear()
    monkeypatch.setattr(perf.shutil, "which", lambda name: None)
    assert not perf.samples()
    perf.samples.cache_clear()


def test_the_kernel_says_who_may_sample(monkeypatch, tmp_path):
    monkeypatch.setattr(perf, "PARANOID", tmp_path / "paranoid")
    monkeypatch.setattr(perf.os, "geteuid", lambda: 1000)
    assert not perf.may_sample(perf.MOST_PARANOID)
    for level, may, of_cpus in (
        ("-1", True, True),
        ("0", True, True),
        ("1", True, False),
        ("2", False, False),
        ("4", False, False),
    ):
        perf.PARANOID.write_text(f"{level}\n")
        assert perf.may_sample(perf.MOST_PARANOID) == may
        assert perf.may_sample(perf.MOST_OF_CPUS) == of_cpus
