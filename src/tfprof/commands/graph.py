"""`tfprof graph PATH...`: costs along the graph: a node and what it reads."""

from tfprof.commands.view import view_command

COMMAND = view_command(
    "graph",
    "costs along the graph: a node and what it reads",
    "tfprof graph examples/unet -select micros",
)
