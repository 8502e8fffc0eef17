"""What goes wrong in a recording ends the recording, not the program."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Guarded(Protocol):
    """Somebody who can be switched off."""

    is_off: bool

    def switch_off(self, fault: Exception) -> None: ...


_G = TypeVar("_G", bound=Guarded)


def raises_nothing(
    call: Callable[Concatenate[_G, _P], _T],
) -> Callable[Concatenate[_G, _P], _T | None]:
    """A method that raises nothing; None once its owner is off."""

    @wraps(call)
    def safe(owner: _G, /, *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        if owner.is_off:
            return None
        try:
            return call(owner, *args, **kwargs)
        except Exception as fault:  # noqa: BLE001  (training goes on, whatever it was)
            owner.switch_off(fault)
            return None

    return safe


def described(fault: Exception) -> str:
    """What it was and where, in a line."""
    where = fault.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    at = f" ({Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno})" if where else ""
    said = str(fault).splitlines()
    return f"{type(fault).__name__}{': ' + said[0] if said else ''}{at}"
