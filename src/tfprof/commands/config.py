"""`tfprof config [COMMAND]`: what options are where nobody says them, and who says so."""

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes

_ABOUT = Option("about", "the command (default: what is set for any)", Takes.PATHS, "COMMAND")

COMMAND = Command(
    "config",
    HelpGroup.MORE,
    "what options are where nobody says them, and who says so",
    "tfprof config layers",
    "nothing",
    (OptionSection("", (_ABOUT,)),),
    "config",
)
