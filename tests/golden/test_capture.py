"""`tfprof capture` in every format, about captures that are there already: nobody is asked."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tfprof.api.answer import Answer
from tfprof.remote.addresses import Address
from tfprof.remote.run_records import SampledProcess, options_of, write_process, write_run
from tfprof.renderers.registry import rendered
from tfprof.reports.capture import captured
from tfprof.results.capture import HostLeftOut

LEFT_OUT = (HostLeftOut("worker-2:6009", "connection refused: nobody listens there"),)
ON_ITS_DISK = (("worker-3:6009", "/logs/plugins/profile/2026_11_17/worker-3_6009.xplane.pb"),)


BEGAN = datetime(2026, 11, 17, 18, 45, 2, tzinfo=UTC)
RUN = Path("logs/capture-20261117-184502")


def _files(ranks: int, data: Path) -> list[tuple[str, Path]]:
    """A run folder as the command writes it."""
    found, options = [], options_of(0.5, 1 << 20)
    for rank in range(ranks):
        address = Address(f"worker-{rank}", 6009)
        folder = RUN / f"rank-{rank}"
        path = folder / "plugins/profile/2026_11_17" / f"worker-{rank}_6009.xplane.pb"
        path.parent.mkdir(parents=True)
        shutil.copy(data / "tiny.xplane.pb", path)
        process = SampledProcess(address, path.stat().st_size, BEGAN)
        write_process(folder, BEGAN, process, options, (rank, ranks), "plugins/profile/2026_11_17")
        found.append((str(address), path))
    write_run(RUN, BEGAN, BEGAN, options, ranks, ())
    return found


@pytest.mark.parametrize("form", ["txt", "md", "csv", "json"])
def test_one_process(golden, data, form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answered = captured(_files(1, data), [], [], 2.0, None)
    golden(f"capture.one.{form}", rendered(Answer(answered), form, 80))


@pytest.mark.parametrize("form", ["txt", "md", "csv", "json"])
def test_several_of_which_some_are_elsewhere_or_gone(golden, data, form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answered = captured(_files(2, data), ON_ITS_DISK, LEFT_OUT, 0.5, None)
    golden(f"capture.several.{form}", rendered(Answer(answered), form, 80))


def test_none_here(golden):
    answered = captured([], ON_ITS_DISK, LEFT_OUT, 2.0, None)
    golden("capture.elsewhere.txt", rendered(Answer(answered), "txt", 80))
