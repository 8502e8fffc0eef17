from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

import numpy as np
import pytest

from tfprof.model.dims import symbol
from tfprof.model.quantity import Quantity
from tfprof.renderers.data import json
from tfprof.renderers.data.encode import encoded
from tfprof.results.answered import SCHEMA, Answered, Subject, Used
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, Key


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Costs:
    macs: Quantity
    flops: Quantity


@dataclass(frozen=True, slots=True)
class Layer:
    name: str
    kind: Annotated[str, Key("class")]
    costs: Annotated[Costs, AMONG]
    beside: Annotated[int | None, IF_KNOWN] = None
    hint: Annotated[str, INSIDE] = "for views"


@dataclass(frozen=True, slots=True)
class Numbers:
    own: Sequence[int]
    whole: Sequence[int]

    def columns(self) -> Mapping[str, Sequence[object]]:
        return {"own": self.own, "whole": self.whole}


@dataclass(frozen=True, slots=True)
class Nodes:
    names: Sequence[str]
    numbers: Numbers

    def columns(self) -> Mapping[str, object]:
        return {"name": self.names, "costs": self.numbers}


def test_keys_are_fields_in_order_and_what_is_inside_is_left_out():
    layer = Layer("a", "Dense", Costs(Quantity.derived(3), Quantity.derived(6)))
    assert list(encoded(layer).items()) == [
        ("name", "a"), ("class", "Dense"), ("macs", 3), ("flops", 6),
    ]  # fmt: skip


def test_a_key_that_may_be_missing_is_there_once_it_has_a_value():
    costs = Costs(Quantity.derived(3), Quantity.derived(6))
    assert encoded(Layer("a", "Dense", costs, 0))["beside"] == 0


def test_a_formula_stands_beside_its_number():
    batch = symbol("B")
    found = encoded(Costs(Quantity.derived(batch * 2), Quantity.derived(6)))
    assert list(found) == ["macs", "macs_formula", "flops"]
    assert found["macs"] is None
    assert found["macs_formula"] == {
        "text": "2*B", "terms": [{"coefficient": 2, "powers": {"B": 1}}],
    }  # fmt: skip


def test_the_kind_of_a_number_stands_beside_it_where_it_is_not_plain():
    found = encoded(Costs(Quantity.estimated(3), Quantity.at_least(6, "2 ops not counted")))
    assert found == {
        "macs": 3, "macs_kind": "estimated", "flops": 6, "flops_kind": "at_least",
    }  # fmt: skip


def test_what_is_unknown_or_measured_has_no_kind():
    assert list(encoded(Costs(Quantity.unknown("why"), Quantity.measured(6)))) == ["macs", "flops"]


def test_the_kind_of_numbers_by_name_stands_beside_their_mapping():
    @dataclass(frozen=True, slots=True)
    class Peaks:
        peak_bytes: Mapping[str, Quantity]

    peaks = Peaks({"/cpu:0": Quantity.estimated(3), "/gpu:0": Quantity.derived(4)})
    assert encoded(peaks) == {
        "peak_bytes": {"/cpu:0": 3, "/gpu:0": 4}, "peak_bytes_kind": "estimated",
    }  # fmt: skip


def test_what_is_not_known_is_null():
    assert encoded(Quantity.unknown("no graph was given")) is None


def test_mappings_sequences_enums_and_arrays():
    assert encoded({Colour.RED: (1, 2)}) == {"red": [1, 2]}
    assert encoded(np.arange(3)) == [0, 1, 2]
    assert type(encoded(np.int64(3))) is int
    assert encoded((Colour.RED, None)) == ["red", None]


def test_columns_become_a_row_each():
    nodes = Nodes(["a", "b"], Numbers([1, 2], [3, 4]))
    assert encoded(nodes) == [
        {"name": "a", "costs": {"own": 1, "whole": 3}},
        {"name": "b", "costs": {"own": 2, "whole": 4}},
    ]


def test_columns_of_different_length_are_a_mistake():
    with pytest.raises(ValueError, match="argument"):
        encoded(Nodes(["a"], Numbers([1, 2], [3, 4])))


def test_what_is_no_result_is_refused():
    with pytest.raises(TypeError, match="object"):
        encoded(object())


def test_the_envelope_is_encoded_like_any_result():
    answered = Answered(
        SCHEMA, "layers", (Used("g.pb", "GraphDef"),), ("careful",), {"rows": ()}, Subject("g.pb")
    )
    assert encoded(answered) == {
        "schema": SCHEMA,
        "command": "layers",
        "inputs": [{"path": "g.pb", "format": "GraphDef"}],
        "warnings": ["careful"],
        "data": {"rows": []},
    }


def test_json_has_no_infinity():
    answered = Answered(SCHEMA, "x", (), (), {"rows": [{"a": float("inf")}]}, Subject(""))
    assert '{"a": null}' in json.render(answered)
