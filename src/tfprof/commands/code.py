"""`tfprof code PATH...`: costs by the code that made the nodes."""

from tfprof.commands.view import view_command

COMMAND = view_command(
    "code",
    "costs by the code that made the nodes",
    "tfprof code graph.pb run_meta tfprof_log -select micros",
)
