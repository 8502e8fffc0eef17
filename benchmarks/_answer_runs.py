"""Runs cases of `_same_answers.py` with the sources of one commit: a process of its own.

    PYTHONPATH=SOURCES python benchmarks/_answer_runs.py SAMPLES CASES RESULTS

A case is run in a fork of this process, which has imported everything already: it starts at once,
sees nothing of the cases before it, and can be ended if it hangs.
"""

from __future__ import annotations

import contextlib
import gc
import gzip
import hashlib
import importlib
import io
import json
import multiprocessing
import os
import pkgutil
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import tfprof
from tfprof.cli.main import main as command_line

SOURCES = Path(tfprof.__file__).parents[1]
FORK = multiprocessing.get_context("fork")
# processor time runs out first, so that a busy machine gives the same results
WAITS = 20
MOST_MEMORY = 3 << 30
MOST_KEPT = 200_000
FORMS: dict[str, Callable[[Any], str]] = {
    "str": str,
    "repr": repr,
    "html": lambda answer: answer._repr_html_(),
    "json": lambda answer: answer.to_json(),
    "csv": lambda answer: answer.to_csv(),
    "markdown": lambda answer: answer.to_markdown(),
    "warnings": lambda answer: "\n".join(answer.warnings),
    # JSON hides whether a number is numpy's
    "dict": lambda answer: repr(answer.to_dict()),
}
DRAWN = ("memory", "steps")
OF_THE_MODULE = "tfprof."  # takes the first path; other calls are of what `load` gives

Case = dict[str, Any]
Parts = dict[str, str]


def main() -> None:
    samples, cases, results = map(Path, sys.argv[1:])
    _import_all()
    gc.freeze()  # or each fork would copy all of it
    asked = json.loads(cases.read_text())
    started = time.monotonic()
    with results.open("a") as file:
        for done, case in enumerate(asked, 1):
            file.write(json.dumps(_run(case, samples)) + "\n")
            file.flush()
            if done % 250 == 0 or done == len(asked):
                took = time.monotonic() - started
                print(f"   {done} of {len(asked)} cases, {took:.0f} s", flush=True)


def _import_all() -> None:
    """Modules, and the tables that are made on first use: no case has to."""
    for module in pkgutil.walk_packages(tfprof.__path__, "tfprof."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    with contextlib.redirect_stdout(io.StringIO()):
        command_line(["rules", "ops"])
        command_line(["formats"])


def _run(case: Case, samples: Path) -> dict[str, Any]:
    """The result of a case, from a process of its own."""
    receiver, sender = FORK.Pipe(duplex=False)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="case-") as folder:
        process = FORK.Process(target=_in_fork, args=(case, samples, Path(folder), sender))
        process.start()
        sender.close()
        try:
            result = receiver.recv() if receiver.poll(case["seconds"] * WAITS) else None
        except EOFError:  # it was ended by the system: out of time, or it crashed
            result = None
        if result is None:
            process.kill()
        process.join()
    if result is None:
        crashed = process.exitcode not in (-9, -24)  # SIGKILL, SIGXCPU
        result = {"code": f"signal {-process.exitcode}" if crashed else "timeout", "parts": {}}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"case": case["name"], "seconds": round(took, 3), **result}


def _in_fork(case: Case, samples: Path, folder: Path, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (case["seconds"], case["seconds"]))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.update(case["environment"])
    os.environ["HOME"] = str(folder)
    os.chdir(folder)
    Path("samples").symlink_to(samples)
    places = {str(folder): "HERE", str(samples): "samples", str(SOURCES): "SOURCES"}
    code, parts = _python(case) if case["calls"] else _command(case)
    sender.send({"code": code, "parts": dict(_kept(parts, places))})
    sender.close()


def _kept(parts: Parts, places: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Without what is nobody's answer: where it ran, and the line of a source that warned."""
    for name, full in parts.items():
        text = full
        for place, word in places.items():
            text = text.replace(place, word)
        text = re.sub(r"(SOURCES/\S+\.py):\d+", r"\1", text)
        if len(text) > MOST_KEPT:
            sum_ = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
            text = f"{text[:MOST_KEPT]}\n... {len(text)} characters, sha256 {sum_}\n"
        if text:
            yield name, text


def _command(case: Case) -> tuple[str, Parts]:
    """The command line; what it wrote to the streams and into files."""
    out, err = io.StringIO(), io.StringIO()
    sys.stdin = io.StringIO(case["stdin"])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = command_line(case["words"])
        except SystemExit as ended:
            code = ended.code
    written = sorted(path for path in Path().iterdir() if not path.is_symlink())
    files = {f"file {path.name}": _content(path) for path in written}
    return str(code), {"stdout": out.getvalue(), "stderr": err.getvalue(), **files}


def _content(path: Path) -> str:
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    return content.decode(errors="backslashreplace")


def _python(case: Case) -> tuple[str, Parts]:
    """Questions of Python to the same files, in every form that an answer has."""
    out, err = io.StringIO(), io.StringIO()
    parts: Parts = {}
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        profile = _told(parts, "load", lambda: tfprof.load(*case["words"]))
        for name, options in case["calls"]:
            said = ", ".join(f"{key}={value!r}" for key, value in options.items())
            if name.startswith(OF_THE_MODULE):
                call = getattr(tfprof, name.removeprefix(OF_THE_MODULE))
                _ask(parts, f"{name}({said})", call, case["words"][:1], options)
            elif profile is not None:
                answer = _ask(parts, f"{name}({said})", getattr(profile, name), [], options)
                if answer is not None and name in DRAWN and case["draws"]:
                    drawn = f"{name}({said}) svg"
                    parts.setdefault(drawn, _told(parts, drawn, answer.to_svg) or "")
    return "python", {"stdout": out.getvalue(), "stderr": err.getvalue(), **parts}


def _ask(
    parts: Parts, said: str, call: Callable[..., Any], given: list[str], options: dict[str, Any]
) -> Any:
    answer = _told(parts, said, lambda: call(*given, **options))
    if not isinstance(answer, tfprof.Answer):
        parts.setdefault(said, str(answer))
        return None
    for form, made in FORMS.items():
        parts[f"{said} {form}"] = made(answer)
    return answer


def _told(parts: Parts, said: str, call: Callable[[], Any]) -> Any:
    """What a call returns; its error is an answer, too."""
    try:
        return call()
    except Exception as fault:  # noqa: BLE001  (any of them is to be the same)
        hint = getattr(fault, "hint", "")
        parts[said] = f"{type(fault).__name__}: {fault}" + (f"\n{hint}" if hint else "")
        return None


if __name__ == "__main__":
    main()
