"""Names that are attacks: shown as text, and nothing runs."""

import pytest
from looking import NARROW
from run_cli import run

from tfprof.wire import dtypes
from tfprof.wire.schema import message_class

ATTACKS = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror='window.hacked = 3'>",
    '"><svg onload="window.hacked = 4">',
    "javascript:window.hacked=5",
    "{{constructor.constructor('window.hacked=6')()}}",
    "<!--<script>",
    ']]><iframe src="https://example.com/">',
    "\u202egnp.exe\u2066",
    "url(https://example.com/x.png)",
    "x" * 10_000,
    "__proto__",
    "constructor",
]


@pytest.fixture(scope="module")
def attack(tmp_path_factory):
    """A model whose nodes, scopes and ops are called so."""
    folder = tmp_path_factory.mktemp("attack")
    graph = message_class("GraphDef")()
    before = ""
    for at, name in enumerate(ATTACKS):
        variable = graph.node.add(name=f"{name}/scope{at}/kernel", op="VarHandleOp")
        variable.attr["dtype"].type = dtypes.FLOAT
        for size in (64, 64):
            variable.attr["shape"].shape.dim.add(size=size)
        node = graph.node.add(name=f"{name}/scope{at}/out", op=name[:100] if at % 2 else "Relu")
        if before:
            node.input.append(before)
        before = node.name
    (folder / "graph.pb").write_bytes(graph.SerializeToString())
    target = folder / "report.html"
    ran = run("report", folder / "graph.pb", "-o", target)
    assert ran.code == 0, ran.err
    return target


@pytest.mark.parametrize(
    "how", [{}, {"size": NARROW}, {"dark": True}], ids=["wide", "narrow", "dark"]
)
def test_no_name_runs(opened, attack, how):
    looked = opened(attack, **how)
    for kind in looked.kinds:
        looked.go(kind)
        looked.page.mouse.move(300, 300)
        assert looked.sideways() <= 0, kind
        assert "cannot be shown" not in looked.text(), kind
        assert looked.page.evaluate("window.hacked") is None, kind
        assert looked.page.query_selector("main iframe, main img[src=x], main svg[onload]") is None


@pytest.mark.parametrize("name", ATTACKS, ids=range(len(ATTACKS)))
def test_no_place_runs(opened, attack, name):
    """What stands in the address is no more trusted."""
    looked = opened(attack)
    for kind in looked.kinds:
        looked.page.evaluate(
            "([kind, name]) => { location.hash = `${kind}/${encodeURIComponent(name)}` }",
            [kind, name],
        )
        looked.settled()
        assert looked.page.evaluate("window.hacked") is None, kind
    assert "cannot be shown" not in looked.text()


def test_the_policy_lets_nothing_else_in(opened, attack):
    """Without it, escaping would be all there is between a name and a script."""
    looked = opened(attack)
    blocked = []
    looked.page.on("requestfailed", lambda asked: blocked.append((asked.url, asked.failure)))
    looked.page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.hacked = 7";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "https://example.com/x.png";
          document.body.append(image);
        }"""
    )
    looked.page.wait_for_timeout(200)
    assert looked.page.evaluate("window.hacked") is None
    assert blocked == [("https://example.com/x.png", "csp")]
    assert len(looked.faults) == 2
    assert all("Content Security Policy" in one for one in looked.faults)
    looked.faults.clear()
    looked.requests.clear()
