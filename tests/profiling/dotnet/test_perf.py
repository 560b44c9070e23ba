"""How often perf samples: as asked for, and no more often than is cheap."""

import pytest

from benchbook.profiling.profilers import perf


@pytest.mark.parametrize(("asked", "taken"), [(100, 5000), (5000, 5000), (8000, 8000)])
def test_samples_are_taken_no_more_often_than_is_cheap(asked, taken):
    assert perf.interval_us(asked) == taken


def test_without_perf_there_are_no_samples(monkeypatch):
    perf.samples.cache_clear()
    monkeypatch.setattr(perf.shutil, "which", lambda name: None)
    assert not perf.samples()
    perf.samples.cache_clear()


def test_the_kernel_says_who_may_sample(monkeypatch, tmp_path):
    monkeypatch.setattr(perf, "PARANOID", tmp_path / "paranoid")
    monkeypatch.setattr(perf.os, "geteuid", lambda: 1000)
    assert not perf.may_sample()
    for level, may in (("-1", True), ("1", True), ("2", False), ("4", False)):
        perf.PARANOID.write_text(f"{level}\n")
        assert perf.may_sample() == may
