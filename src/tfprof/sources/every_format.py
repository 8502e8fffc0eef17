"""Importing this registers every format, in the order `tfprof formats` lists them."""

# isort: off
from tfprof.sources import graph_files  # noqa: F401
from tfprof.sources import meta_graph  # noqa: F401
from tfprof.sources import run_metadata  # noqa: F401
from tfprof.sources import op_log  # noqa: F401
from tfprof.sources import profile_proto  # noqa: F401
from tfprof.sources import variable_table  # noqa: F401
from tfprof.sources import checkpoint  # noqa: F401
from tfprof.sources import checkpoint_state  # noqa: F401
from tfprof.sources import event_file  # noqa: F401
from tfprof.sources import keras_file  # noqa: F401
from tfprof.sources import recognised  # noqa: F401
