"""Cells and layers that remember, each in one op: LSTM and GRU blocks, and those of cuDNN."""

from __future__ import annotations

from tfprof.model.dims import Open, Shape, Size, divided, elements
from tfprof.ops.rule import Call, Count, Family
from tfprof.ops.shape_tools import dimension, known_rank, times

rule = Family("recurrent")
_INT8 = 6


def _added(*parts: Size | None) -> Size | None:
    """The sum; None if a part is not known."""
    total: Size = 0
    for part in parts:
        if part is None:
            return None
        total = total + part
    return total


# --- LSTM in one op; sigmoid and tanh count 4 as everywhere

# four biases, three sigmoids and a tanh, new memory 3, its tanh and the output 5
_LSTM_CELL = 28
# o, memory, candidate, forget and input gradients 4 + 5 + 3 * 4, and one product back
_LSTM_CELL_GRADIENT = 22
# three products and three sums
_PEEPHOLE = 6

_GATES = ("i", "cs", "f", "o", "ci", "co", "h")
_GRADIENTS = (
    "x_grad", "cs_prev_grad", "h_prev_grad", "w_grad", "wci_grad", "wcf_grad", "wco_grad", "b_grad",
)  # fmt: skip


def _cell(call: Call) -> list[Open]:
    return [known_rank(call.input(1), 2)] * 7


def _quarter(size: Size | None) -> Size | None:
    return None if size is None else divided(size, 4)


def _sequence(call: Call) -> list[Open]:
    x = known_rank(call.input(1), 3)
    return [(x[0], x[1], _quarter(dimension(call.input(8), 0)))] * 7


def _weighted(x: int, w: tuple[int, ...], passes: int = 1) -> Count:
    """Every row of `x` meets every weight of `w` once a pass."""

    def macs(call: Call) -> Size | None:
        shape = call.input(x)
        rows = elements(shape[:-1]) if shape else None
        weights = _added(*(elements(call.input(index)) for index in w))
        return times(passes, rows, weights)

    return macs


def _gated(per_element: int, output: int = 0) -> Count:
    """So many operations for each element of the state, more with peepholes and a forget bias."""

    def work(call: Call) -> Size | None:
        each = per_element + _PEEPHOLE * call.flag("use_peephole")
        biased = call.op in {"LSTMBlockCell", "BlockLSTM"}
        return times(each + biased, elements(call.output(output)))

    return work


def _cell_gradient(call: Call) -> list[Open]:
    batch, units = known_rank(call.input(1), 2)
    return [(batch, units), (batch, times(4, units)), *(call.input(place) for place in (4, 5, 6))]


def _sequence_gradient(call: Call) -> list[Open]:
    return [call.input(place) for place in range(1, 9)]


def _sequence_gradient_work(call: Call) -> Size | None:
    each = _LSTM_CELL_GRADIENT + _PEEPHOLE * call.flag("use_peephole")
    # the state of every step is among the inputs
    return times(each, elements(call.input(10)))


rule(
    "LSTMBlockCell", _cell, macs=_weighted(0, (3,)), work=_gated(_LSTM_CELL), outputs=_GATES
)  # fmt: skip
rule(
    "LSTMBlockCellGrad", _cell_gradient, work=_gated(_LSTM_CELL_GRADIENT),
    outputs=("cs_prev_grad", "dicfo", "wci_grad", "wcf_grad", "wco_grad"),
)  # fmt: skip
rule(
    "BlockLSTM BlockLSTMV2", _sequence, macs=_weighted(1, (4,)), work=_gated(_LSTM_CELL),
    outputs=_GATES,
)  # fmt: skip
rule(
    "BlockLSTMGrad BlockLSTMGradV2", _sequence_gradient, macs=_weighted(1, (4,), 2),
    work=_sequence_gradient_work, outputs=_GRADIENTS,
)  # fmt: skip

# --- GRU in one op

# three biases, two sigmoids and a tanh, the reset product, u*h + (1-u)*c
_GRU_CELL = 20
# c, u and r gradients 5 + 5 + 4, what they pass back 4
_GRU_CELL_GRADIENT = 18


def _gru_gradient(call: Call) -> list[Open]:
    batch, units = known_rank(call.input(1), 2)
    return [call.input(0), (batch, units), (batch, units), (batch, times(2, units))]


rule(
    "GRUBlockCell", lambda call: [known_rank(call.input(1), 2)] * 4, macs=_weighted(0, (2, 3)),
    work=_gated(_GRU_CELL), outputs=("r", "u", "c", "h"),
)  # fmt: skip
rule(
    "GRUBlockCellGrad", _gru_gradient, macs=_weighted(0, (2, 3)),
    work=_gated(_GRU_CELL_GRADIENT, 1), outputs=("d_x", "d_h_prev", "d_c_bar", "d_r_bar_u_bar"),
)  # fmt: skip

# --- cuDNN: input [steps, batch, features], states [layers * directions, batch, units]


def _directions(call: Call) -> int:
    return 2 if call.text("direction") == "bidirectional" else 1


def _is_lstm(call: Call) -> bool:
    return call.text("rnn_mode", "lstm") == "lstm"


def _cudnn(call: Call) -> list[Open]:
    x, state = known_rank(call.input(0), 3), known_rank(call.input(1), 3)
    output: Shape = (x[0], x[1], times(_directions(call), state[2]))
    # only an LSTM has a second state
    memory = call.input(2) if _is_lstm(call) else ()
    shapes: list[Open] = [output, state, memory, None]
    return shapes if call.op == "CudnnRNN" else [*shapes, None]


def _cudnn_macs(call: Call) -> Size | None:
    """Every step of every sample meets every weight; params hold biases too, so weights count."""
    directions, lstm = _directions(call), _is_lstm(call)
    gates = {"lstm": 4, "gru": 3}.get(call.text("rnn_mode", "lstm"), 1)
    x, state = known_rank(call.input(0), 3), known_rank(call.input(1), 3)
    features, units = x[2], state[2]
    projected = lstm and call.integer("num_proj") > 0
    memory = dimension(call.input(2), 2) if projected else units
    if features is None or units is None or memory is None or not isinstance(state[0], int):
        return None
    layers = state[0] // directions
    first = 0 if call.text("input_mode") == "skip_input" else features
    inner = (layers - 1) * directions * units
    weights = gates * memory * (first + inner + layers * units)
    if projected:
        weights = weights + layers * units * memory
    return times(x[0], x[1], directions, weights)


# what is no product, for each number of the state: here every gate has two biases
_FORWARD = {"lstm": _LSTM_CELL + 4, "gru": _GRU_CELL + 3, "rnn_tanh": 6, "rnn_relu": 3}
_BACKWARD = {"lstm": _LSTM_CELL_GRADIENT, "gru": _GRU_CELL_GRADIENT, "rnn_tanh": 3, "rnn_relu": 1}


def _cudnn_work(each: dict[str, int]) -> Count:
    def work(call: Call) -> Size | None:
        x, state = known_rank(call.input(0), 3), known_rank(call.input(1), 3)
        # steps and samples of the input, layers and units of the state
        count = each.get(call.text("rnn_mode", "lstm"))
        return times(count, x[0], x[1], state[0], state[2])

    return work


def _cudnn_gradient_macs(call: Call) -> Size | None:
    """Twice: to the inputs and to the weights."""
    return times(2, _cudnn_macs(call))


def _cudnn_gradient(call: Call) -> list[Open]:
    return [call.input(place) for place in range(4)]


rule(
    "CudnnRNN", _cudnn, macs=_cudnn_macs, work=_cudnn_work(_FORWARD),
    outputs=("output", "output_h", "output_c", "reserve_space"),
)  # fmt: skip
rule(
    "CudnnRNNV2 CudnnRNNV3", _cudnn, dtype=("T", "T", "T", "T", _INT8), macs=_cudnn_macs,
    work=_cudnn_work(_FORWARD),
    outputs=("output", "output_h", "output_c", "reserve_space", "host_reserved"),
)  # fmt: skip
rule(
    "CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3", _cudnn_gradient,
    macs=_cudnn_gradient_macs, work=_cudnn_work(_BACKWARD),
    outputs=("input_backprop", "input_h_backprop", "input_c_backprop", "params_backprop"),
)  # fmt: skip
