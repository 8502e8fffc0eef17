"""Our reader of the text format against protobuf's, on random messages in random layouts."""

import random

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st
from random_messages import any_message, messages
from text_writer import write

from tfprof.wire.schema import message_class
from tfprof.wire.text import TextFault, to_wire, to_wire_clipped
from tfprof.wire.text_layout import scan
from tfprof.wire.text_tokens import TokenReader

SEEDS = st.integers(0, 1 << 32).map(random.Random)
PRINTED = st.fixed_dictionaries(
    {},
    optional={
        "as_one_line": st.just(True),
        "use_short_repeated_primitives": st.just(True),
        "pointy_brackets": st.just(True),
        "as_utf8": st.booleans(),
        "force_colon": st.just(True),
    },
)


def _bytes(message):
    # a NaN is not equal to itself, but its bytes are
    return message.SerializeToString(deterministic=True)


def _parsed(name, wire):
    return _bytes(message_class(name).FromString(wire))


def _check(name, text):
    expected = text_format.Parse(text, message_class(name)())
    assert _parsed(name, to_wire(text, name)) == _bytes(expected)


def _outcome(read):
    """The wire bytes, or all that there is to know about the fault."""
    try:
        return read()
    except TextFault as fault:
        return fault.what, fault.line, fault.column, fault.early_end


def _by_tokens(text, name):
    reader = TokenReader(text, name)
    reader.read()
    return reader.wire()


@settings(max_examples=150, deadline=None)
@given(any_message(), PRINTED)
def test_reads_what_protobuf_prints(named, options):
    name, message = named
    _check(name, text_format.MessageToString(message, **options).encode())


@settings(max_examples=150, deadline=None)
@given(any_message(), SEEDS)
def test_reads_any_layout(named, chance):
    name, message = named
    _check(name, write(message, chance))


@settings(max_examples=60, deadline=None)
@given(messages("GraphDef"), SEEDS, st.booleans())
def test_truncated_text_ends_early_or_is_whole(message, chance, is_printed):
    text = text_format.MessageToString(message).encode() if is_printed else write(message, chance)
    for end in chance.sample(range(len(text)), min(len(text), 60)):
        wire, fault = to_wire_clipped(text[:end], "GraphDef")
        assert fault is None or fault.early_end
        assert fault is None or fault.line <= 1 + text.count(b"\n", 0, end)
        message_class("GraphDef").FromString(wire)


@settings(max_examples=40, deadline=None)
@given(messages("GraphDef"), SEEDS)
def test_truncated_text_keeps_whole_fields(message, chance):
    nodes = [text_format.MessageToString(node, indent=2).encode() for node in message.node]
    texts = [b"node {\n" + node + b"}\n" for node in nodes]
    whole = chance.randrange(len(texts)) if texts else 0
    wire, _ = to_wire_clipped(b"".join(texts)[: sum(map(len, texts[:whole])) + 9], "GraphDef")
    read = message_class("GraphDef").FromString(wire)
    assert [_bytes(n) for n in read.node][:whole] == [_bytes(n) for n in message.node][:whole]


@settings(max_examples=150, deadline=None)
@given(any_message(), SEEDS, st.data())
def test_damaged_text_is_the_same_to_both_readers(named, chance, data):
    name, message = named
    text = bytearray(write(message, chance))
    for _ in range(data.draw(st.integers(0, 3))):
        at = chance.randrange(len(text) + 1)
        text[at : at + chance.choice([0, 1])] = chance.choice(
            [b"", b'"', b"'", b"\\", b"{", b"}", b"<", b"[", b"]", b",", b":", b"#", b"-", b"\xc3"]
        )
    damaged = bytes(text)
    assert _outcome(lambda: to_wire(damaged, name)) == _outcome(lambda: _by_tokens(damaged, name))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=40))
def test_noise_raises_nothing_but_text_faults(noise):
    assert _outcome(lambda: to_wire(noise, "NodeDef")) is not None
    scan(noise)


def _check_layout(text):
    """What scan() finds is what the general reader finds; what it leaves, it leaves whole."""
    graph = scan(text)
    if graph is None:
        return False
    bodies = [text[start:end] for start, end in zip(graph.body_start, graph.body_end, strict=True)]
    rest = [text[start:end] for start, end in graph.rest]
    try:
        expected = message_class("GraphDef").FromString(to_wire(text, "GraphDef"))
    except TextFault:
        with pytest.raises(TextFault):
            [to_wire(part, "NodeDef") for part in bodies] + [to_wire(p, "GraphDef") for p in rest]
        return True
    nodes = expected.node
    assert graph.names == [node.name for node in nodes]
    assert graph.ops == [node.op for node in nodes]
    assert graph.devices == [node.device for node in nodes]
    assert graph.inputs == [name for node in nodes for name in node.input]
    assert graph.input_counts.tolist() == [len(node.input) for node in nodes]
    assert [_parsed("NodeDef", to_wire(b, "NodeDef")) for b in bodies] == [*map(_bytes, nodes)]
    del expected.node[:]
    assert _parsed("GraphDef", b"".join(to_wire(p, "GraphDef") for p in rest)) == _bytes(expected)
    starts = graph.body_start.tolist()
    assert graph.body_line.tolist() == [text.count(b"\n", 0, start) + 1 for start in starts]
    return True


@settings(max_examples=100, deadline=None)
@given(messages("GraphDef"), st.booleans())
def test_layout_takes_what_is_printed(message, as_utf8):
    assert _check_layout(text_format.MessageToString(message, as_utf8=as_utf8).encode())


@settings(max_examples=150, deadline=None)
@given(messages("GraphDef"), SEEDS)
def test_layout_is_exact_about_damaged_lines(message, chance):
    lines = text_format.MessageToString(message).encode().splitlines(keepends=True)
    for _ in range(chance.choice([1, 1, 2]) if lines else 0):
        at = chance.randrange(len(lines))
        line = lines[at]
        column = chance.randrange(len(line) + 1)
        odd = chance.choice([b" ", b"", b'"', b"\\", b"}", b"{", b"#", b":", b"\n", b"7", b"\xff"])
        lines[at] = chance.choice(
            [b"", line + line, line[:column] + odd + line[column:], b"  " + line]
        )
    _check_layout(b"".join(lines))
    _check_layout(b"".join(lines).rstrip(b"\n"))
