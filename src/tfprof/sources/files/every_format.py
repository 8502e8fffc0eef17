"""Importing this registers every format: a file of `formats` each, or a few that are akin."""

import importlib
import os
import pkgutil

import tfprof.sources

# in the order in which `tfprof formats` lists them, whoever imports what first; of two formats that
# fit a file equally, the first is taken. A file that is not here comes after those that are
ORDER = (
    "graph_def",
    "meta_graph",
    "run_metadata",
    "op_log",
    "profile_proto",
    "variable_table",
    "checkpoint",
    "event_file",
    "run_record",
    "keras_file",
    "xplane",
    "chrome_trace",
    "saved_profile",
)
_FOLDERS = [os.path.join(path, "formats") for path in tfprof.sources.__path__]  # noqa: PTH118
for _file in pkgutil.iter_modules(_FOLDERS, "tfprof.sources.formats."):
    importlib.import_module(_file.name)
