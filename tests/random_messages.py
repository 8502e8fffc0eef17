"""Random messages of our schema, for property tests."""

from hypothesis import strategies as st

from tfprof.wire import dtypes
from tfprof.wire.schema import Field, message_class, schema

# characters that mean something in text formats, and any others
_TEXT = st.text(
    st.sampled_from("ab7/:^_ \"'\\\n\r\t\0{}<>[]#,;é\u2028")
    | st.characters(exclude_categories=["Cs"]),
    max_size=6,
)

_SCALARS = {
    "double": st.floats(),
    "float": st.floats(width=32),
    "int64": st.integers(-(1 << 63), (1 << 63) - 1),
    "uint64": st.integers(0, (1 << 64) - 1),
    "int32": st.integers(-(1 << 31), (1 << 31) - 1),
    "uint32": st.integers(0, (1 << 32) - 1),
    "fixed32": st.integers(0, (1 << 32) - 1),
    "bool": st.booleans(),
    "string": _TEXT,
    "bytes": st.binary(max_size=6) | _TEXT.map(str.encode),
    "DataType": st.sampled_from([*dtypes.ENUM_VALUES.values(), 99, -1]),
}


@st.composite
def messages(draw, name, depth=5):
    """A protobuf message of ours, by its name; a few of its fields are set."""
    message = message_class(name)()
    fields = [
        field
        for field in schema()[name].by_name.values()
        if depth or _value_type(field) in _SCALARS
    ]
    if fields:
        for field in draw(st.lists(st.sampled_from(fields), max_size=4)):
            _set(draw, message, field, depth - 1)
    return message


def any_message():
    """A message of any type that stands on its own, with the name of the type."""
    entries = {f.type for m in schema().values() for f in m.by_name.values() if f.is_map}
    names = st.sampled_from(sorted(schema().keys() - entries))
    return names.flatmap(lambda name: st.tuples(st.just(name), messages(name)))


def _value_type(field: Field):
    """The type of a field, or of the values of a map."""
    return schema()[field.type].by_name["value"].type if field.is_map else field.type


def _value(draw, type_name, depth):
    is_scalar = type_name in _SCALARS
    return draw(_SCALARS[type_name] if is_scalar else messages(type_name, depth))


def _set(draw, message, field, depth):
    value = _value(draw, _value_type(field), depth)
    if field.is_map:
        key = _value(draw, schema()[field.type].by_name["key"].type, depth)
        entries = getattr(message, field.name)
        if _value_type(field) in _SCALARS:
            entries[key] = value
        else:
            entries[key].CopyFrom(value)
    elif field.repeated:
        getattr(message, field.name).append(value)
    elif field.is_message:
        getattr(message, field.name).CopyFrom(value)
    else:
        setattr(message, field.name, value)
