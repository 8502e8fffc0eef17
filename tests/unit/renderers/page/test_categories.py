"""The page has the words and colours of categories from where everyone else has them."""

from pathlib import Path

from generated_categories import typescript

HERE = Path(__file__).parents[4] / "web" / "src" / "categories.ts"


def test_the_categories_of_the_page_are_those_of_the_results(request):
    if request.config.getoption("--accept"):
        HERE.write_text(typescript())
    assert HERE.read_text() == typescript()
