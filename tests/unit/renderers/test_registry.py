"""The formats of an answer, listed by the names of their files."""

import tfprof
from tfprof.renderers.registry import output_formats, rendered


def test_the_usual_ones_come_first():
    assert output_formats() == ("txt", "md", "csv", "json")


def test_a_format_writes_what_an_answer_says_of_itself_in_python(unet):
    answer = tfprof.load(unet).summary()
    said = {
        "txt": answer.to_text(70),
        "md": answer.to_markdown(),
        "csv": answer.to_csv(),
        "json": answer.to_json(),
    }
    assert {name: rendered(answer, name, 70) for name in output_formats()} == said
