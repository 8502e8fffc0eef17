"""The JSON Schema and the Python reference are what the code says, and the answers keep to it."""

import json
from pathlib import Path

import pytest
from generated_docs import advice_pages, advice_table, json_schema, python_reference
from generated_types import typescript
from run_cli import run

import tfprof

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "tfprof-1.schema.json"
TYPES = ROOT / "web" / "src" / "results.ts"
REFERENCE = ROOT / "docs" / "python.md"
ADVICE, TABLE = ROOT / "docs" / "advice", ROOT / "docs" / "advice.md"
BEGIN, END = "<!-- made by tests/generated_docs.py -->", "<!-- end -->"
ANSWERS = sorted((ROOT / "tests" / "golden").glob("*.json"))
_TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
    "number": (int, float), "null": type(None),
}  # fmt: skip


def _kept(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--accept"):
        path.write_text(text)
    assert path.read_text() == text, "run `make test ARGS=--accept` and read the diff"


def test_the_json_schema_is_that_of_the_results(request):
    _kept(SCHEMA, json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n", request)


def test_the_types_of_the_page_are_those_of_the_results(request):
    _kept(TYPES, typescript(), request)


def test_the_python_reference_is_that_of_the_code(request):
    _kept(REFERENCE, python_reference(), request)


@pytest.mark.parametrize("name", sorted(advice_pages()))
def test_the_page_of_a_rule_is_its_docstring(name, request):
    path = ADVICE / name
    if request.config.getoption("--accept"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    _kept(path, advice_pages()[name], request)


def test_there_is_no_page_without_a_rule():
    assert {path.name for path in ADVICE.glob("*.md")} == set(advice_pages())


def test_the_table_of_rules_has_all_of_them(request):
    before, begin, rest = TABLE.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, "the table has a place"
    assert end, "the table has an end"
    _kept(TABLE, f"{before}{BEGIN}\n{advice_table()}\n{END}{after}", request)


def test_the_reference_has_every_public_name():
    page = python_reference()
    assert [name for name in tfprof.__all__ if name not in page and name != "__version__"] == []


def _faults(value, schema, at, whole):
    """Where a value is not as the schema says; a key that is in no schema is a fault, too."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        tried = [list(_faults(value, one, at, whole)) for one in schema["anyOf"]]
        yield from min(tried, key=len)
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    fits = [name for name in names if isinstance(value, _TYPES[name])]
    if names and (not fits or (isinstance(value, bool) and "boolean" not in names)):
        yield f"{at}: {value!r:.60} is no {names}"
        return
    if isinstance(value, dict) and ("properties" in schema or "additionalProperties" in schema):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        yield from (f"{at}: no {key}" for key in schema.get("required", ()) if key not in value)
        for key, one in value.items():
            if key in known or others is not None:
                yield from _faults(one, known.get(key, others), f"{at}.{key}", whole)
            else:
                yield f"{at}: {key} is in no schema"
    if isinstance(value, list):
        for index, one in enumerate(value):
            yield from _faults(one, schema.get("items", {}), f"{at}[{index}]", whole)


def _faults_of(answer):
    schema = json_schema()
    named = {one["properties"]["command"]["const"]: one for one in schema["oneOf"]}
    own = named[answer["command"]]["properties"]["data"]
    envelope = {"type": "object", "required": schema["required"]}
    yield from _faults(answer, envelope, "", schema)
    yield from _faults(answer["data"], own, "data", schema)


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_answers_keep_to_the_schema(path):
    answer = json.loads(path.read_text())
    if answer.get("schema") != "tfprof/1":
        pytest.skip("a file for another program")
    assert list(_faults_of(answer))[:5] == []


@pytest.mark.parametrize(
    "words", [["formats"], ["rules", "ops"], ["rules", "advice"], ["explain"]], ids=" ".join
)
def test_what_needs_no_file_keeps_to_it_too(words):
    assert list(_faults_of(json.loads(run(*words, "--json").out)))[:5] == []


def test_what_is_not_as_the_schema_says_is_found():
    answer = json.loads(run("explain", "usage", "--json").out)
    answer["data"]["messages"][0]["exit_code"] = "2"
    answer["data"]["more"] = 1
    assert len(list(_faults_of(answer))) == 2
