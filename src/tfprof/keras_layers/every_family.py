"""Importing this registers the rules of every family: those of all files here."""

import importlib
import pkgutil

import tfprof.keras_layers

for _file in pkgutil.walk_packages(tfprof.keras_layers.__path__, "tfprof.keras_layers."):
    importlib.import_module(_file.name)
