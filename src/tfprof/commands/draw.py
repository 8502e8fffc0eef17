"""`tfprof draw SUBJECT PATH...`: pictures, which the command line itself writes."""

from tfprof.commands.command import Command, HelpGroup

COMMAND = Command(
    "draw",
    HelpGroup.MORE,
    "an answer as a picture (SVG): memory, or the time of steps",
    "tfprof draw steps examples/slow_input -o steps.svg",
    "as the picture asks",
)
