"""The general reader of the text format: every form a field may take, and every fault."""

import math
import struct

import pytest

from tfprof.wire.schema import message_class
from tfprof.wire.text import TextFault, to_wire, to_wire_clipped


def _read(text, name):
    return message_class(name).FromString(to_wire(text.encode(), name))


@pytest.mark.parametrize(
    "text",
    [
        'name: "a" op: "b" input: "c" input: "d"',
        "name: 'a' op: 'b' input: 'c' input: 'd'",
        'op:"b"input:"c"input:"d"name:"a"',
        'name: "a", op: "b"; input: "c"; input: "d",',
        '# a comment {\nname: # why not\n"a"\nop: "b" # input: "x"\n; input: "c"\ninput: "d"#',
        'name: "a" op: "b" input: ["c", "d"]',
        "name: \"\" 'a' op: '' \"b\"\n''  input: [ # here\n'c' \"\", 'd'] ",
        'name\n:\r\n"a"\top:\f"b"\vinput: ["c"] input: [] input: ["d"]',
        r'name: "\141" op: "\x62" input: "\u0063" input: "\U00000064"',
    ],
)
def test_strings_in_every_form(text):
    node = _read(text, "NodeDef")
    assert (node.name, node.op, list(node.input)) == ("a", "b", ["c", "d"])


@pytest.mark.parametrize(
    ("escaped", "expected"),
    [
        (r"\a\b\f\n\r\t\v", b"\a\b\f\n\r\t\v"),
        (r"\\ \' \" \?", b"\\ ' \" ?"),
        (r"\0\1\12\377\0018\78", b"\0\1\n\xff\x018\x078"),
        (r"\x1\xf\xfff\xAg", b"\x01\x0f\xfff\ng"),
        (r"\u00e9\U0001F600\ud83d\ude00", "é😀😀".encode()),
        (r"\\u0041\\\u0041", rb"\u0041\A"),
        ("é", "é".encode()),
    ],
)
def test_escapes(escaped, expected):
    assert _read(f's: "{escaped}"', "AttrValue").s == expected


def test_bytes_need_not_be_utf8_but_strings_do():
    assert message_class("AttrValue").FromString(to_wire(b's: "\xff"', "AttrValue")).s == b"\xff"
    assert _read(r's: "\377"', "AttrValue").s == b"\xff"
    assert _read(r'name: "\303" "\251"', "NodeDef").name == "é"
    for text in (b'name: "\xff" op: "a"', rb'name: "\377" op: "a"'):
        with pytest.raises(TextFault, match="UTF-8"):
            to_wire(text, "NodeDef")


@pytest.mark.parametrize(
    "text",
    [
        "dim { size: 2 } dim { size: 3 }",
        "dim <size: 2> dim: {size: 3}",
        "dim: [{size: 2}, <size: 3>]",
        "dim [{size: 2},{size: 3}];",
        "dim{size:2};dim:<size:3,>,",
        "dim [ # two\n { size: 2 } # one\n , { size: 3 } ] # end",
        "dim: [] dim: [{ size: 2 }] dim { size: 3 }",
    ],
)
def test_messages_in_every_form(text):
    assert [dim.size for dim in _read(text, "TensorShapeProto").dim] == [2, 3]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("0", 0), ("17", 17), ("-17", -17), ("+17", 17), ("- 17", -17), ("-#\n17", -17),
        ("0x1F", 31), ("-0Xff", -255), ("017", 15), ("-017", -15), ("00", 0),
        ("9223372036854775807", (1 << 63) - 1), ("-9223372036854775808", -(1 << 63)),
    ],
)  # fmt: skip
def test_integers(word, value):
    assert _read(f"i: {word}", "AttrValue").i == value
    assert list(_read(f"int64_val: [{word}, 1]", "TensorProto").int64_val) == [value, 1]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1", 1.0), ("-1.5", -1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("1.5E-1f", 0.15),
        ("2f", 2.0), ("0", 0.0), ("0.5F", 0.5), ("inf", math.inf), ("-inf", -math.inf),
        ("Infinity", math.inf), ("-infinityf", -math.inf), ("- 2.5", -2.5), ("1e39", math.inf),
        ("-1e39", -math.inf),
    ],
)  # fmt: skip
def test_floats(word, value):
    (expected,) = struct.unpack("<f", struct.pack("<f", value))
    assert _read(f"f: {word}", "AttrValue").f == expected


@pytest.mark.parametrize("word", ["nan", "-nan", "NaN", "nanf"])
def test_not_a_number(word):
    assert math.isnan(_read(f"f: {word}", "AttrValue").f)


def test_double_is_wider_than_float():
    assert list(_read("double_val: 1e300 double_val: 0.1", "TensorProto").double_val) == [
        1e300,
        0.1,
    ]


@pytest.mark.parametrize("word", ["true", "True", "t", "1", "01", "0x1"])
def test_true(word):
    assert _read(f"b: {word}", "AttrValue").b is True


@pytest.mark.parametrize("word", ["false", "False", "f", "0"])
def test_false(word):
    value = _read(f"b: {word}", "AttrValue")
    assert value.WhichOneof("value") == "b"
    assert value.b is False


def test_enum_by_name_and_number():
    assert _read("type: DT_FLOAT_REF", "AttrValue").type == 101
    assert _read("type: 101", "AttrValue").type == 101
    assert _read("type: 9999", "AttrValue").type == 9999
    assert list(_read("type: [DT_FLOAT, 3]", "AttrList").type) == [1, 3]


def test_map_keys_may_come_after_values_or_not_at_all():
    node = _read('attr { value { i: 1 } key: "a" } attr: [{value <i: 2>}, {key: "c"}]', "NodeDef")
    assert {key: value.i for key, value in node.attr.items()} == {"a": 1, "": 2, "c": 0}


def test_last_of_repeated_singular_fields_counts_as_on_the_wire():
    assert _read('name: "a" name: "b"', "NodeDef").name == "b"
    assert _read("i: 1 f: 2", "AttrValue").WhichOneof("value") == "f"
    versions = _read("versions { producer: 1 } versions { min_consumer: 2 }", "GraphDef").versions
    assert (versions.producer, versions.min_consumer) == (1, 2)


@pytest.mark.parametrize(
    "unknown",
    [
        "x: 1",
        "x: -1.5e3f;",
        "x: - inf",
        "x: WORD",
        "x: 'a' \"b\"",
        "x: []",
        "x: [1, 'a' 'b', WORD]",
        "x: [1, {y: 2}, <z: [{}]>]",
        "x { y: 1 z { name: 2 op {} } w: [<>] },",
        "x: < >",
        "17: 3 18 { 1: 'a' }",
        "[a.b.c]: 1",
        "[ a . b ] { y: 1 }",
        "[type.googleapis.com/x.Y] { y: 1 }",
    ],
)
def test_unknown_fields_are_passed_over(unknown):
    node = _read(f'name: "a" {unknown} op: "b"', "NodeDef")
    assert node == message_class("NodeDef")(name="a", op="b")


@pytest.mark.parametrize("text", [b"", b"\n", b" # nothing", b"#\n\n"])
def test_nothing_is_an_empty_message(text):
    assert to_wire(text, "GraphDef") == b""


def test_long_value():
    assert len(_read(f's: "{"a" * 70_000}"', "AttrValue").s) == 70_000


def test_deep_nesting():
    depth = 20_000
    text = b"func{attr{value{" * depth + b"i: 1 " + b"}}}" * depth
    assert to_wire(text, "AttrValue").endswith(b"\x12\x02\x18\x01")


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ('name: "a"\nop "b"', 2, 4, "op is followed by neither : nor a message"),
        ("name: 5 ", 1, 7, "name: 5 is a word, not a string or a message"),
        ("name { }", 1, 6, "name is not a message"),
        ("name: ['a']", 1, 7, "name has one value, not a list"),
        ("attr: 'a' ", 1, 7, "attr cannot be a string"),
        ("attr: a ", 1, 7, "attr: a is a word, not a string or a message"),
        ("attr {\n  value { i: '1' } }", 2, 14, "i cannot be a string"),
        ("attr { value { i: 1.5 } }", 1, 19, "i: 1.5 is not an integer"),
        ("attr { value { i: 089 } }", 1, 19, "i: 089 is not an integer"),
        ("attr { value { i: 1_0 } }", 1, 19, "i: 1_0 is not an integer"),
        ("attr { value { f: 010 } }", 1, 19, "f: 010 is not a number"),
        ("attr { value { f: 0x1 } }", 1, 19, "f: 0x1 is not a number"),
        ("attr { value { b: 2 } }", 1, 19, "b: 2 is neither true nor false"),
        ("attr { value { b: yes } }", 1, 19, "b: yes is neither true nor false"),
        ("attr { value { type: DT_FLOT } }", 1, 22, "type: DT_FLOT is not a DataType"),
        ("attr { value: }", 1, 15, "value has no value"),
        ("attr { >", 1, 8, "expected } at the end of the message"),
        ("attr: [{ >]", 1, 10, "expected } at the end of the message"),
        ("attr: [{} {}]", 1, 11, "an item of a list is followed by neither , nor ]"),
        ("input: ['a',]", 1, 13, "input has no value"),
        ("input: ['a' # b\n 'c'; 'd']", 2, 5, "an item of a list is followed by neither , nor ]"),
        ("}", 1, 1, "a message ends that was not begun"),
        ("name: 'a';; op: 'b'", 1, 11, "no field starts like this"),
        ("attr { , }", 1, 8, "no field starts like this"),
        ("name: 'a\n'", 1, 7, "a string has no closing quote"),
        (r"name: 'a\q'", 1, 7, r"name: \q is not an escape"),
        (r"name: 'a\400'", 1, 7, r"name: \4 is not an escape"),
        (r"name: '\x'", 1, 7, r"name: \x is not an escape"),
        (r"name: '\u12'", 1, 7, r"name: \u is not an escape"),
        (r"name: '\ud800'", 1, 7, r"name: \ud800 is not a character"),
        (r"name: '\U00110000'", 1, 7, r"name: \U00110000 is not a character"),
        ("@", 1, 1, "no field starts like this"),
        ("name: @", 1, 7, "name has no value"),
    ],
)
def test_faults(text, line, column, what):
    with pytest.raises(TextFault) as caught:
        to_wire(text.encode(), "NodeDef")
    fault = caught.value
    assert (fault.what, fault.line, fault.column) == (what, line, column)
    assert not fault.early_end
    assert str(fault) == f"{what} in line {line}, column {column}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("version: 2147483648 ", "GraphDef"),
        ("version: -2147483649 ", "GraphDef"),
        ("i: 9223372036854775808 ", "AttrValue"),
        ("uint32_val: [4294967296]", "TensorProto"),
        ("uint64_val: -1 ", "TensorProto"),
        ("type: 2147483648 ", "AttrValue"),
        (f"i: {'9' * 5000} ", "AttrValue"),
    ],
)
def test_integers_out_of_range(text, name):
    with pytest.raises(TextFault, match="is not"):
        to_wire(text.encode(), name)


def test_lines_are_counted_from_the_first_line_given():
    with pytest.raises(TextFault) as caught:
        to_wire(b"\n\nname: 5 ", "NodeDef", first_line=41)
    assert caught.value.line == 43


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('node { name: "a" } node { name: "b" op: "c', "name: 'a' // name: 'b'"),
        ('node { name: "a" } node { name: "b"', "name: 'a' // name: 'b'"),
        ('node { name: "a" } nod', "name: 'a'"),
        ('node { name: "a" } node', "name: 'a'"),
        ('node { name: "a" } node:', "name: 'a'"),
        ('node { name: "a" } node {', "name: 'a' // "),
        ('node { name: "a" } node { # op', "name: 'a' // "),
        ('node { name: "a" } [type.goo', "name: 'a'"),
        ('node: [{ name: "a" }, ', "name: 'a'"),
        ('node: [{ name: "a" }', "name: 'a'"),
        ('node { attr { key: "k" value { i: 12', "attr { key: 'k' value { } }"),
        ('node { attr { key: "k" value { i: -', "attr { key: 'k' value { } }"),
        ('node { attr { key: "k" value { i: 12 ', "attr { key: 'k' value { i: 12 } }"),
        ('node { attr { key: "k" value { type: DT_FLO', "attr { key: 'k' value { } }"),
        ('node { attr { key: "k" value { list { i: [1, 2', "attr {key: 'k' value {list {i: 1}}}"),
        ('node { name: "a\\', ""),
        ('node { name: "a" x { y { z: "', "name: 'a'"),
        ('node { name: "\\303"', ""),
    ],
)
def test_clipped_text_gives_what_is_whole(text, kept):
    expected = [_read(part, "NodeDef") for part in kept.split("//")]
    wire, fault = to_wire_clipped(f"\n{text}".encode(), "GraphDef")
    assert list(message_class("GraphDef").FromString(wire).node) == expected
    assert fault is not None
    assert fault.early_end
    assert fault.line == 2
    with pytest.raises(TextFault) as caught:
        to_wire(text.encode(), "GraphDef")
    assert caught.value.early_end


def test_whole_text_is_not_clipped():
    text = b"versions { producer: 12 } version: 3"
    assert to_wire_clipped(text, "GraphDef") == (to_wire(text, "GraphDef"), None)


def test_clipping_does_not_hide_other_faults():
    with pytest.raises(TextFault, match="DataType"):
        to_wire_clipped(b"node { attr { value { type: NO } } ", "GraphDef")
