"""Lists of tensors: TensorList, whose handle is passed along, and TensorArray, whose flow is.

What is known of the elements comes from the shape asked for, from what was stored, and from what
the list was made with. A TensorArray is written through its handle, which stays as it is: what was
written is therefore noted on the flow.
"""

from __future__ import annotations

from dataclasses import replace

from tfprof.model.dims import Open, Size
from tfprof.ops.rule import FLOAT, INT32, INT64, Call, Family, Tensor, Value
from tfprof.ops.shape_tools import dimension, fixed, merged, no_output, shape_in
from tfprof.wire import dtypes as t

rule = Family("lists")


def _list(element: Open, dtype: int, length: Size | None) -> Tensor:
    return Tensor((), t.VARIANT, holds=Tensor(element, dtype), length=length)


def _element(call: Call, index: int = 0) -> Open:
    """What the handle says about the elements."""
    held = call.inputs[index].holds
    return None if held is None else held.shape


def _asked(call: Call, index: int) -> Open:
    """An element shape among the inputs; a scalar there says nothing."""
    return None if call.input(index) == () else shape_in(call, index)


def _storing(call: Call, element: Open, length: Size | None) -> list[Tensor]:
    """The list of input 0 with something more in it."""
    dtype = call.dtype("element_dtype")
    return [_list(merged(_element(call), element), dtype, length)]


def _more(length: Size | None, by: Size | None) -> Size | None:
    return None if length is None or by is None else length + by


def _without_first(shape: Open) -> Open:
    return shape[1:] if shape else None


def _stacked(count: Size | None, element: Open) -> Open:
    return None if element is None else (count, *element)


# --- making


def _reserved(call: Call) -> list[Tensor]:
    length = 0 if call.op == "EmptyTensorList" else call.scalar(1)
    return [_list(_asked(call, 0), call.dtype("element_dtype"), length)]


def _unstacked(call: Call) -> list[Tensor]:
    shape, dtype = call.input(0), call.dtype("element_dtype")
    element = merged(_asked(call, 1), _without_first(shape))
    return [_list(element, dtype, dimension(shape, 0))]


def _scattered(call: Call) -> list[Tensor]:
    element = merged(_asked(call, 2), _without_first(call.input(0)))
    length = None
    if call.op == "TensorListScatterV2":
        length = call.scalar(3)
    # without a length, or with -1, the largest index decides
    if length is None or length == -1:
        indices = call.numbers(1)
        length = None if indices is None else max(indices, default=-1) + 1
    return [_list(element, call.dtype("element_dtype"), length)]


def _split(call: Call) -> list[Tensor]:
    """Pieces along the first dimension; of one size if their lengths are."""
    lengths, shape = call.value(2), call.input(0)
    element = merged(_asked(call, 1), _stacked(None, _without_first(shape)))
    if lengths and len(set(lengths)) == 1:
        element = merged(element, _stacked(lengths[0], _without_first(shape)))
    return [_list(element, call.dtype("element_dtype"), dimension(call.input(2), 0))]


rule.idle("TensorListReserve EmptyTensorList", _reserved, dtype=t.VARIANT, allocates=False)
rule.idle("TensorListFromTensor", _unstacked, dtype=t.VARIANT)
rule.idle("TensorListScatter | TensorListScatterV2", _scattered, dtype=t.VARIANT)
rule.idle("TensorListSplit", _split, dtype=t.VARIANT)

# --- storing


def _pushed(call: Call) -> list[Tensor]:
    """Loops keep shapes in lists for their gradients: what was pushed is what comes out."""
    before, pushed = call.inputs[0], call.inputs[1]
    (stored,) = _storing(call, pushed.shape, _more(before.length, 1))
    same = before.length == 0 or (before.holds is not None and before.holds.value == pushed.value)
    if stored.holds is None or not same:
        return [stored]
    return [replace(stored, holds=replace(stored.holds, value=pushed.value))]


def _set(call: Call) -> list[Tensor]:
    length = None if call.flag("resize_if_index_out_of_bounds") else call.inputs[0].length
    return _storing(call, call.input(2), length)


def _scattered_into(call: Call) -> list[Tensor]:
    return _storing(call, _without_first(call.input(1)), call.inputs[0].length)


def _pushed_batch(call: Call) -> list[Tensor]:
    (handles,) = _storing(call, _without_first(call.input(1)), _more(call.inputs[0].length, 1))
    return [replace(handles, shape=call.input(0))]


def _resized(call: Call) -> list[Tensor]:
    return [replace(call.inputs[0], length=call.scalar(1))]


def _joined(call: Call) -> list[Tensor]:
    one, other = call.inputs[0], call.inputs[1]
    (joined,) = _storing(call, _element(call, 1), _more(one.length, other.length))
    return [replace(joined, shape=merged(one.shape, other.shape))]


rule.idle("TensorListPushBack", _pushed, dtype=t.VARIANT, alias=0)
rule.idle("TensorListSetItem", _set, dtype=t.VARIANT, alias=0)
rule("TensorListScatterIntoExistingList", _scattered_into, dtype=t.VARIANT, alias=0)
rule("TensorListPushBackBatch", _pushed_batch, dtype=t.VARIANT, alias=0)
rule.idle("TensorListResize", _resized, dtype=t.VARIANT, alias=0)
rule("TensorListConcatLists", _joined, dtype=t.VARIANT, alias=0)

# --- taking; an element is handed out as it lies, without a copy


def _item(call: Call) -> list[Open]:
    return [merged(_asked(call, 2), _element(call))]


def _popped(call: Call) -> list[Tensor]:
    """The list without its last element, and that element."""
    # nothing can be taken from an empty list: what is known of it is wrong
    before = call.inputs[0].length or None
    element = merged(_asked(call, 1), _element(call))
    dtype = call.dtype("element_dtype")
    held = call.inputs[0].holds
    value = held.value if held is not None else None
    rest = _list(element, dtype, _more(before, -1))
    if rest.holds is not None:
        rest = replace(rest, holds=replace(rest.holds, value=value))
    return [rest, Tensor(element, dtype, value)]


def _whole(call: Call) -> list[Open]:
    element = merged(_asked(call, 1), _element(call))
    stated = call.integer("num_elements", -1)
    return [_stacked(call.inputs[0].length if stated < 0 else stated, element)]


def _gathered(call: Call) -> list[Open]:
    return [_stacked(dimension(call.input(1), 0), merged(_asked(call, 2), _element(call)))]


def _strung(call: Call) -> list[Open]:
    """Elements one behind the other, and how long each is."""
    handle = call.inputs[0]
    asked = call.stated("element_shape") if call.op == "TensorListConcat" else _asked(call, 1)
    return _strung_together(merged(asked, _element(call)), handle.length)


def _strung_together(element: Open, length: Size | None) -> list[Open]:
    if not element:
        return [None, (length,)]
    first = element[0]
    total = None if first is None or length is None else first * length
    return [(total, *element[1:]), (length,)]


rule.idle("TensorListGetItem", _item, dtype="element_dtype", allocates=False)
rule.idle(
    "TensorListPopBack", _popped, dtype=(t.VARIANT, "element_dtype"), alias=0, allocates=False,
    outputs=("output_handle", "tensor"),
)  # fmt: skip
rule.idle("TensorListStack", _whole, dtype="element_dtype")
rule.idle("TensorListGather", _gathered, dtype="element_dtype")
rule.idle(
    "TensorListConcat TensorListConcatV2", _strung, dtype=("element_dtype", INT64),
    outputs=("tensor", "lengths"),
)  # fmt: skip

# --- asking


def _length(call: Call) -> list[Value | None]:
    length = call.inputs[0].length
    return [None if length is None else (length,)]


def _element_shape(call: Call) -> list[Tensor]:
    """Unknown dimensions read -1, so only a shape known in full has a value."""
    element = _element(call)
    if element is None:
        return [Tensor(None)]
    return [Tensor((len(element),), value=element)]


rule.idle("TensorListLength", fixed(()), values=_length, dtype=INT32)
rule.idle("TensorListElementShape", _element_shape, dtype="shape_type")

# --- TensorArray

_FLOW = Tensor((), FLOAT)


def _handle(call: Call, element: Tensor, length: Size | None) -> list[Tensor]:
    """The handle of an array and, where the op hands it out, the flow."""
    has_flow = call.op.endswith(("V3", "WithShape"))
    handle = Tensor((2,), holds=element, length=length)
    return [handle, replace(_FLOW, holds=element, length=length)] if has_flow else [handle]


def _array(call: Call) -> list[Tensor]:
    # one that grows has no length yet
    length = None if call.flag("dynamic_size") else call.scalar(0)
    return _handle(call, Tensor(call.stated("element_shape"), call.dtype("dtype")), length)


def _kept(call: Call, flow: int) -> tuple[Open, Size | None]:
    """The elements of an array and their number: what the flow says, then the handle."""
    shape, length = None, None
    for place in (flow, 0):
        one = call.inputs[place]
        if one.holds is not None:
            shape = merged(shape, one.holds.shape)
        length = one.length if length is None else length
    return shape, length


def _written(call: Call, flow: int, element: Open, length: Size | None = None) -> list[Tensor]:
    kept, before = _kept(call, flow)
    dtype = call.dtype("T")
    held = Tensor(merged(kept, element), dtype)
    return [replace(_FLOW, holds=held, length=before if length is None else length)]


def _write(call: Call) -> list[Tensor]:
    return _written(call, 3, call.input(2))


def _unpack(call: Call) -> list[Tensor]:
    value = call.input(1)
    return _written(call, 2, _without_first(value), dimension(value, 0))


def _scatter(call: Call) -> list[Tensor]:
    return _written(call, 3, _without_first(call.input(2)))


def _split_array(call: Call) -> list[Tensor]:
    value, lengths = call.input(1), call.value(2)
    first = lengths[0] if lengths and len(set(lengths)) == 1 else None
    count = dimension(call.input(2), 0)
    return _written(call, 3, _stacked(first, _without_first(value)), count)


def _read(call: Call) -> list[Open]:
    return [_kept(call, 2)[0]]


def _gather(call: Call) -> list[Open]:
    element = merged(call.stated("element_shape"), _kept(call, 2)[0])
    return [_stacked(dimension(call.input(1), 0), element)]


def _pack(call: Call) -> list[Open]:
    element, length = _kept(call, 1)
    return [_stacked(length, merged(call.stated("element_shape"), element))]


def _concat(call: Call) -> list[Open]:
    element, length = _kept(call, 1)
    rest = call.stated("element_shape_except0")
    return _strung_together(merged(element, _stacked(None, rest)), length)


def _size(call: Call) -> list[Value | None]:
    length = _kept(call, 1)[1]
    return [None if length is None else (length,)]


def _gradient(call: Call) -> list[Tensor]:
    """An array like the one that it is the gradient of."""
    element, length = _kept(call, 1)
    if call.op == "TensorArrayGradWithShape":
        before = shape_in(call, 2)
        element = None if before is None or element is None else before + element
    held = call.inputs[0].holds
    return _handle(call, Tensor(element, 0 if held is None else held.dtype), length)


for _v, _of in {"": t.STRING, "V2": t.STRING, "V3": t.RESOURCE}.items():
    _both = ("handle", "flow") if _v == "V3" else ()
    _kind = rule.idle if _v == "V3" else rule
    _kind(f"TensorArray{_v}", _array, dtype=(_of, FLOAT), outputs=_both, allocates=False)
    _kind(f"TensorArrayWrite{_v}", _write, dtype=FLOAT, allocates=False)
    _kind(f"TensorArrayScatter{_v}", _scatter, dtype=FLOAT)
    _kind(f"TensorArraySplit{_v}", _split_array, dtype=FLOAT)
    _kind(f"TensorArrayRead{_v}", _read, dtype="dtype", allocates=False)
    _kind(f"TensorArrayGather{_v}", _gather, dtype="dtype")
    _kind(
        f"TensorArrayConcat{_v}", _concat, dtype=("dtype", INT64), outputs=("value", "lengths")
    )  # fmt: skip
    _kind(f"TensorArraySize{_v}", fixed(()), values=_size, dtype=INT32)
    _kind(f"TensorArrayClose{_v}", no_output, allocates=False)
rule("TensorArrayUnpack", _unpack, dtype=FLOAT)
rule("TensorArrayPack", _pack, dtype="dtype")
rule("TensorArrayGrad TensorArrayGradV2", _gradient, dtype=t.STRING, allocates=False)
rule.idle(
    "TensorArrayGradV3 | TensorArrayGradWithShape", _gradient, dtype=(t.RESOURCE, FLOAT),
    outputs=("grad_handle", "flow_out"), allocates=False,
)  # fmt: skip
