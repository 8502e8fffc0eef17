"""`tfprof shell PATH...`: the prompt, which the command line itself runs."""

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS
from tfprof.commands.options.view_options import VIEW_OPTIONS

COMMAND = Command(
    "shell",
    HelpGroup.MORE,
    "the tfprof prompt; commands from a pipe, too",
    "tfprof shell examples/unet",
    "graph",
    (*INPUTS, VIEW_OPTIONS),
)
