"""Steps that nobody marked, where XLA compiled them: the runs of the program that takes the time.

A step is one run of it on all devices of a host together, from the first that begins on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device_ops import MODULE
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.units import plural
from tfprof.model.xspace import HOST_THREADS, Plane, Space
from tfprof.results.step_windows import Dropped, Steps, StepWindow

Ints = npt.NDArray[np.int64]

_MODULES_LINE = "XLA Modules"
# what the host calls the launch of a program for a GPU
_LAUNCHES = ":XLA GPU module"
_NUMBER = "correlation_id"
_RUN = "run_id"
# a program that ran once may be anything: what is compiled first, what is done at the end
_OFTEN = 2


@frozen_dataclass
class _Runs:
    """The runs of one program on one device by time."""

    device: str
    begin: Ints
    end: Ints

    @property
    def busy(self) -> int:
        return int((self.end - self.begin).sum())


_Programs = Mapping[str, list[_Runs]]


def module_runs(space: Space, host: str) -> Steps | None:
    """What a device itself says of its programs. Its host runs ahead, so this comes first."""
    found: defaultdict[str, list[_Runs]] = defaultdict(list)
    for plane in _devices(space, host):
        for line in range(len(plane.lines)):
            if plane.lines.name[line] == _MODULES_LINE and not _is_derived(plane):
                for program, rows in _by_name(plane, plane.rows_of_line(line)).items():
                    begin, end = plane.events.start_ps[rows], plane.events.ends(rows)
                    found[program].append(_Runs(plane.name, begin, end))
    return _steps(found)


def launched_programs(space: Space, host: str) -> Steps | None:
    """What a GPU ran of each launch of a program by its host."""
    found: defaultdict[str, list[_Runs]] = defaultdict(list)
    for launches in _launches(space, host):
        for plane in _devices(space, host):
            for program, runs in launches.on_device(plane):
                found[program].append(runs)
    return _steps(found)


def host_programs(space: Space, host: str) -> Steps | None:
    """What threads of a host ran of each program, whose instructions tell the run they are of."""
    found: defaultdict[str, list[_Runs]] = defaultdict(list)
    for plane in space.planes:
        if plane.host == host and plane.name == HOST_THREADS and plane.has_stat(_RUN):
            for program, runs in _numbered_runs(plane):
                found[program].append(runs)
    return _steps(found, "threads of the host")


def _numbered_runs(plane: Plane) -> Iterator[tuple[str, _Runs]]:
    """From the first to the last instruction of each run, by program."""
    module = plane.stat(MODULE)
    rows, texts = module.rows, module.texts()
    run = plane.stat(_RUN).over_all()[rows]
    for program in sorted(texts.distinct(np.arange(len(rows)))):
        mine = rows[texts.where(program)]
        numbers, at = np.unique(run[texts.where(program)], return_inverse=True)
        begin, end = _ends(plane, mine, at, len(numbers))
        order = np.argsort(begin, kind="stable")
        yield program, _Runs(plane.name, begin[order], end[order])


def _ends(plane: Plane, rows: Ints, group: Ints, count: int) -> tuple[Ints, Ints]:
    """The first start and the last end of each group of events."""
    begin = np.full(count, np.iinfo(np.int64).max)
    end = np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(begin, group, plane.events.start_ps[rows])
    np.maximum.at(end, group, plane.events.ends(rows))
    return begin, end


def _devices(space: Space, host: str) -> Iterator[Plane]:
    return (plane for plane in space.devices if plane.host == host and len(plane.events))


def _is_derived(plane: Plane) -> bool:
    """Such a line of a GPU is XProf's: what follows without a gap is one event there."""
    return "GPU" in plane.name


def _by_name(plane: Plane, span: slice) -> dict[str, Ints]:
    """The rows of each program: `jit_f(12190760917235803885)` is one of jit_f."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for row in range(span.start, span.stop):
        found[plane.name_of(row).partition("(")[0]].append(row)
    return {name: np.array(rows, np.int64) for name, rows in found.items()}


@frozen_dataclass
class _Launches:
    """The launches of programs on one host by time, and the numbers of what each sent.

    `number` rises; `launch` is the row of the launch that sent it.
    """

    program: Sequence[str]
    number: Ints
    launch: Ints

    def on_device(self, plane: Plane) -> Iterator[tuple[str, _Runs]]:
        """From the first to the last kernel of each launch, by program."""
        if not plane.has_stat(_NUMBER):
            return
        counts = np.repeat(lines_that_count(plane), np.diff(plane.lines.first))
        column = plane.stat_of_rows(_NUMBER, np.flatnonzero(counts))
        place = np.minimum(np.searchsorted(self.number, column.ints()), len(self.number) - 1)
        known = self.number[place] == column.ints()
        rows, launch = column.rows[known], self.launch[place[known]]
        ran, at = np.unique(launch, return_inverse=True)
        begin, end = _ends(plane, rows, at, len(ran))
        programs = np.array([self.program[row] for row in ran.tolist()], object)
        for program in dict.fromkeys(programs.tolist()):
            mine = programs == program
            order = np.argsort(begin[mine], kind="stable")
            yield program, _Runs(plane.name, begin[mine][order], end[mine][order])


def _launches(space: Space, host: str) -> Iterator[_Launches]:
    for plane in space.planes:
        if plane.host != host or plane.is_device or not plane.has_stat(_NUMBER):
            continue
        names = [name for name in plane.event_names.name if name.endswith(_LAUNCHES)]
        rows = plane.named(*names)
        rows = rows[np.argsort(plane.events.start_ps[rows], kind="stable")]
        column = plane.stat(_NUMBER)
        if not len(rows) or not len(column):
            continue
        sent = plane.events.start_ps[column.rows]
        launch = np.searchsorted(plane.events.start_ps[rows], sent, side="right") - 1
        inside = (launch >= 0) & (sent < plane.events.ends(rows)[np.maximum(launch, 0)])
        order = np.argsort(column.ints()[inside], kind="stable")
        programs = [plane.name_of(row).removesuffix(_LAUNCHES) for row in rows.tolist()]
        if inside.any():
            yield _Launches(programs, column.ints()[inside][order], launch[inside][order])


def _steps(programs: _Programs, where: str = "") -> Steps | None:
    """Of the program that kept devices longest, if it ran more than once."""
    often = [name for name, runs in programs.items() if max(len(r.begin) for r in runs) >= _OFTEN]
    if not often:
        return None
    chosen = max(often, key=lambda name: sum(runs.busy for runs in programs[name]))
    windows = _together(programs[chosen])
    devices = where or plural(len(programs[chosen]), "device")
    about = f"{plural(len(windows), 'run')} of the program `{chosen}` on {devices}"
    others = {name: runs for name, runs in programs.items() if name != chosen}
    return Steps("program", about, windows, [_passed_over(*one) for one in others.items()])


def _together(runs: Sequence[_Runs]) -> list[StepWindow]:
    """A window a run of the device that has most; runs of others belong where they mostly are."""
    first = max(runs, key=lambda one: len(one.begin))
    begin, end = first.begin.copy(), first.end.copy()
    for one in runs:
        middle = one.begin + (one.end - one.begin) // 2
        place = np.maximum(np.searchsorted(first.begin, middle, side="right") - 1, 0)
        np.minimum.at(begin, place, one.begin)
        np.maximum.at(end, place, one.end)
    begin = np.maximum.accumulate(begin)
    until = np.append(begin[1:], end[-1:])
    rows = zip(begin.tolist(), end.tolist(), until.tolist(), strict=True)
    return [StepWindow(n, b, min(e, u), max(b, u)) for n, (b, e, u) in enumerate(rows)]


def _passed_over(program: str, runs: Sequence[_Runs]) -> Dropped:
    most = max(len(one.begin) for one in runs)
    return Dropped(f"{plural(most, 'run')} of `{program}`", "another program took more of the time")
