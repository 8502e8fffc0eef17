from tfprof.model.quantity import Quantity
from tfprof.renderers.text import plain
from tfprof.renderers.text.fold import folded, shown_rows
from tfprof.views.shapes import Column, Facts, Fold, Notes, OneScreen, Report, Table, Unit

COLUMNS = [Column("name", "name"), Column("bytes", "bytes", Unit.BYTES)]
ROWS = [["a", 60], ["b", 30], ["c", Quantity.estimated(10)], ["d", None]]


def test_without_a_hint_all_rows_are_shown():
    table = Table(COLUMNS, ROWS)
    assert shown_rows(table) == ROWS
    assert folded(table) == ""


def test_the_rest_is_told_with_its_share():
    table = Table(COLUMNS, ROWS, fold=Fold(2, "bytes", 100))
    assert shown_rows(table) == ROWS[:2]
    assert folded(table) == "… 2 more (10.0%)"


def test_the_rest_may_only_be_counted():
    assert folded(Table(COLUMNS, ROWS, fold=Fold(1))) == "… 3 more"
    assert folded(Table(COLUMNS, ROWS, fold=Fold(1, then="; --json lists all"))) == (
        "… 3 more; --json lists all"
    )


def test_nothing_is_said_where_nothing_is_left_out():
    assert folded(Table(COLUMNS, ROWS, fold=Fold(4, "bytes", 100))) == ""


def _report(rows, facts=3, notes=()):
    return Report(
        "model",
        "GraphDef graph.pb",
        [
            Facts([(f"Fact {at}", "text") for at in range(facts)]),
            Table(COLUMNS, [[f"row {at}", at] for at in range(rows)]),
            Notes(list(notes)),
        ],
        OneScreen(kept_notes=1, says_least=("Fact 0",)),
    )


def test_a_report_that_asks_for_it_fits_one_screen():
    text = plain.render(_report(100, notes=["a warning", "more could be said"]))
    assert len(text.splitlines()) == 25
    assert "a warning" in text
    assert "… " in text


def test_a_warning_stays_where_other_notes_and_facts_give_way():
    text = plain.render(_report(100, facts=17, notes=["a warning", "more could be said"]))
    assert len(text.splitlines()) <= 25
    assert "a warning" in text
    assert "more could be said" not in text
    assert "Fact 0 " not in text


def test_a_short_report_stays_whole():
    text = plain.render(_report(3))
    assert "row 2" in text
    assert "…" not in text
