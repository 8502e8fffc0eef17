"""`tfprof shell PATH...`: the prompt, which the command line itself runs."""

from tfprof.commands.command import Command, Group
from tfprof.commands.options.inputs import INPUTS
from tfprof.commands.options.view_options import VIEW_OPTIONS

COMMAND = Command(
    "shell",
    Group.MORE,
    "the tfprof prompt; commands from a pipe, too",
    "tfprof shell examples/unet",
    "graph",
    (*INPUTS, VIEW_OPTIONS),
)
