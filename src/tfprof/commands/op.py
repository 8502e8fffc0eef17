"""`tfprof op PATH...`: costs by op type."""

from tfprof.commands.view import view_command

COMMAND = view_command(
    "op",
    "costs by op type",
    "tfprof op examples/unet -select micros -order_by micros",
)
