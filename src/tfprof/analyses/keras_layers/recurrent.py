"""Recurrent layers: one step of the cell, as often as there are steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tfprof.analyses.keras_layers.activations import activation_work
from tfprof.analyses.keras_layers.convolutions import grid, slid_over
from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Sizes,
    Tensor,
    Unknown,
    Variable,
    axis_of,
    count,
    layer,
    whole,
)
from tfprof.model.dims import Size


@dataclass(frozen=True, slots=True)
class Step:
    """One step for one sample; `states` are nested as Keras hands them out."""

    output: int
    states: tuple[int, ...]
    variables: tuple[Variable, ...]
    macs: int
    work: int | None
    note: str = ""


_Cell = Callable[[Call, int], Step]
_CELLS: dict[str, _Cell] = {}


def _cell(names: str) -> Callable[[_Cell], _Cell]:
    def register(rule: _Cell) -> _Cell:
        for name in names.split():
            if name in _CELLS:
                raise ValueError(f"{name!r} has two rules")
            _CELLS[name] = rule
        return rule

    return register


def _activations(call: Call, times: Mapping[str, int], units: int) -> tuple[int | None, str]:
    """The work of the cell's activations: how often each is applied to all units."""
    total = 0
    for name, often in times.items():
        work, note = activation_work(call.config.get(name), units)
        if not isinstance(work, int):
            return None, note
        total += work * often
    return total, ""


def _gates(call: Call, features: int, gates: int, biases: tuple[int, ...]) -> list[Variable]:
    units = call.integer("units")
    variables = [
        Variable("kernel", (features, gates * units)),
        Variable("recurrent_kernel", (units, gates * units)),
    ]
    if call.flag("use_bias", absent=True):
        variables.append(Variable("bias", (*biases, gates * units)))
    return variables


@_cell("LSTM LSTMCell CuDNNLSTM")
def _lstm(call: Call, features: int) -> Step:
    units = call.integer("units")
    variables = _gates(call, features, 4, ())
    used, note = _activations(call, {"recurrent_activation": 3, "activation": 2}, units)
    # the two products are added, then the bias; c = f c + i g, h = o tanh(c)
    other = (4 + 4 * (len(variables) - 2) + 4) * units
    macs = 4 * units * (features + units)
    work = None if used is None else used + other
    return Step(units, (units, units), tuple(variables), macs, work, note)


@_cell("GRU GRUCell CuDNNGRU")
def _gru(call: Call, features: int) -> Step:
    units = call.integer("units")
    after = call.flag("reset_after")
    variables = _gates(call, features, 3, (2,) if after else ())
    used, note = _activations(call, {"recurrent_activation": 2, "activation": 1}, units)
    # the two products are added, the bias once or twice; r h, and h = z h + (1 - z) hh
    other = (3 + 3 * (len(variables) - 2) * (2 if after else 1) + 5) * units
    macs = 3 * units * (features + units)
    return Step(
        units, (units,), tuple(variables), macs, None if used is None else used + other, note
    )


@_cell("SimpleRNN SimpleRNNCell")
def _simple(call: Call, features: int) -> Step:
    units = call.integer("units")
    variables = _gates(call, features, 1, ())
    used, note = _activations(call, {"activation": 1}, units)
    other = (1 + len(variables) - 2) * units
    macs = units * (features + units)
    return Step(
        units, (units,), tuple(variables), macs, None if used is None else used + other, note
    )


@_cell("StackedRNNCells")
def _stacked(call: Call, features: int) -> Step:
    cells = call.config.get("cells")
    steps: list[Step] = []
    for entry in cells if isinstance(cells, list) else []:
        steps.append(_step(call, entry, features))
        features = steps[-1].output
    if not steps:
        raise Unknown("StackedRNNCells holds no cells")
    work = [one.work for one in steps if one.work is not None]
    note = next((one.note for one in steps if one.work is None), "")
    return Step(
        features,
        tuple(state for one in steps for state in one.states),
        tuple(variable for one in steps for variable in one.variables),
        sum(one.macs for one in steps),
        None if note else sum(work),
        note,
    )


def _step(call: Call, entry: object, features: int) -> Step:
    if not isinstance(entry, dict):
        raise Unknown(f"{call.class_name} has no cell")
    kind, config = str(entry.get("class_name")), entry.get("config")
    rule = _CELLS.get(kind)
    if rule is None or (kind == call.class_name == "StackedRNNCells"):
        raise Unknown(f"Unknown layer class {kind}")
    inner = Call(kind, config if isinstance(config, dict) else {}, call.args, {}, call.engine)
    step = rule(inner, features)
    if inner.flag("trainable", absent=True):
        return step
    frozen = tuple(Variable(one.name, one.shape, trained=False) for one in step.variables)
    return Step(step.output, step.states, frozen, step.macs, step.work, step.note)


@layer("LSTM GRU SimpleRNN CuDNNLSTM CuDNNGRU")
def _recurrent(call: Call) -> Cost:
    return _run(call, lambda features: _CELLS[call.class_name](call, features))


@layer("RNN")
def _rnn(call: Call) -> Cost:
    return _run(call, lambda features: _step(call, call.config.get("cell"), features))


def _run(call: Call, step_of: Callable[[int], Step]) -> Cost:
    if len(call.x.shape) != 3:
        raise Unknown(f"{call.class_name} is called with {len(call.x.shape)} dimensions")
    batch, steps, features = call.x.shape
    step = step_of(whole(features, "the last dimension"))
    out = (batch, steps, step.output) if call.flag("return_sequences") else (batch, step.output)
    outputs = [call.made(*out)]
    if call.flag("return_state"):
        outputs += [call.made(batch, state) for state in step.states]
    runs = batch * steps
    work = None if step.work is None else runs * step.work
    return call.cost(
        *outputs, variables=step.variables, macs=runs * step.macs, work=work, note=step.note
    )


@layer("LSTMCell GRUCell SimpleRNNCell StackedRNNCells")
def _single(call: Call) -> Cost:
    """A cell called by itself: one step, the states behind the output."""
    batch, features = call.x.shape
    step = _CELLS[call.class_name](call, whole(features, "the last dimension"))
    outputs = [call.made(batch, step.output), *(call.made(batch, one) for one in step.states)]
    work = None if step.work is None else batch * step.work
    return call.cost(
        *outputs, variables=step.variables, macs=batch * step.macs, work=work, note=step.note
    )


@layer("ConvLSTM1D ConvLSTM2D ConvLSTM3D")
def _conv_lstm(call: Call) -> Cost:
    rank = int(call.class_name[-2])
    batch, steps, *_ = call.x.shape
    at = grid(call, rank, leading=2)
    windows, filters = call.integers("kernel_size", rank), call.integer("filters")
    channels = whole(at.channels, "the number of channels")
    space = slid_over(call, at.space, windows)
    variables = [
        Variable("kernel", (*windows, channels, 4 * filters)),
        Variable("recurrent_kernel", (*windows, filters, 4 * filters)),
    ]
    if call.flag("use_bias", absent=True):
        variables.append(Variable("bias", (4 * filters,)))
    state: Sizes = (filters, *space) if at.first else (*space, filters)
    out = (batch, steps, *state) if call.flag("return_sequences") else (batch, *state)
    outputs = [call.made(*out)]
    if call.flag("return_state"):
        outputs += [call.made(batch, *state)] * 2
    places = batch * steps * count(space)
    used, note = _activations(call, {"recurrent_activation": 3, "activation": 2}, filters)
    other = (4 + 4 * (len(variables) - 2) + 4) * filters
    return call.cost(
        *outputs,
        variables=variables,
        macs=places * (4 * filters * (channels + filters)) * count(windows),
        work=None if used is None else places * (used + other),
        note=note,
    )


# --- wrappers


@layer("TimeDistributed")
def _time_distributed(call: Call) -> Cost:
    """The wrapped layer, once for each step."""
    batch, steps, *rest = call.x.shape
    one = Tensor((batch, *rest), call.x.dtype)
    inner = call.engine.inner(call.config.get("layer"), [one], trainable=call.trainable)
    outputs = tuple(
        Tensor((out.shape[0], steps, *out.shape[1:]), out.dtype) for out in inner.outputs
    )
    work = None if inner.work is None else inner.work * steps
    return Cost(outputs, inner.variables, inner.macs * steps, work, inner.note)


@layer("Bidirectional")
def _bidirectional(call: Call) -> Cost:
    forward = call.config.get("layer") or call.config.get("forward_layer")
    backward = call.config.get("backward_layer") or forward
    both = [
        call.engine.inner(entry, call.inputs[:1], trainable=call.trainable)
        for entry in (forward, backward)
    ]
    (there, *states), (back, *more) = (list(cost.outputs) for cost in both)
    mode = call.config.get("merge_mode", "concat")
    merged: Size = 0
    if mode is None:
        outputs: Sequence[Tensor] = [there, back]
    elif mode == "concat":
        axis = axis_of(-1, len(there.shape))
        outputs = [Tensor((*there.shape[:axis], there.shape[axis] + back.shape[axis]), there.dtype)]
    else:
        outputs = [there]
        merged = there.elements * (2 if mode == "ave" else 1)
    works = [cost.work for cost in both if cost.work is not None]
    return Cost(
        (*outputs, *states, *more),
        (*both[0].variables, *both[1].variables),
        both[0].macs + both[1].macs,
        works[0] + works[1] + merged if len(works) == 2 else None,
        both[0].note or both[1].note,
    )
