"""`tfprof scope PATH...`: costs by name scope."""

from tfprof.commands.view import view_command

COMMAND = view_command(
    "scope",
    "costs by name scope",
    "tfprof scope examples/unet -max_depth 3 -select params",
)
