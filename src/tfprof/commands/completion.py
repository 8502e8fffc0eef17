"""`tfprof completion SHELL`: what a shell has to know to complete commands and options."""

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes

SHELLS = ("bash", "zsh", "fish")

COMMAND = Command(
    "completion",
    HelpGroup.MORE,
    "a script that lets a shell complete commands and options",
    "tfprof completion bash",
    "nothing",
    (OptionSection("", (Option("shell", "which one", Takes.WORD, "SHELL", SHELLS),)),),
)
