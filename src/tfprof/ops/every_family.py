"""Importing this registers the rules of every family: those of all files here."""

import importlib
import pkgutil

import tfprof.ops

for _file in pkgutil.walk_packages(tfprof.ops.__path__, "tfprof.ops."):
    importlib.import_module(_file.name)
