"""Numbers as the original tool writes them: k, m, b; us, ms, sec; KB and MB and no more."""

from __future__ import annotations


def number(value: int) -> str:
    return _scaled(value, "", "k", "m", "b")


def time(micros: int) -> str:
    return _scaled(micros, "us", "ms", "sec", "")


def memory(size: int) -> str:
    return _scaled(size, "B", "KB", "MB", "")


def _scaled(value: int, one: str, thousand: str, million: str, billion: str) -> str:
    if value < 10**3:
        return f"{value}{one}"
    if value < 10**6:
        return f"{value / 10**3:.2f}{thousand}"
    if value < 10**9 or not billion:
        return f"{value / 10**6:.2f}{million}"
    return f"{value / 10**9:.2f}{billion}"
