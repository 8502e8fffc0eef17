"""Importing this registers the rules of every family: those of all files here."""

import tfprof.keras_layers
from tfprof.module_names import load_all

load_all(tfprof.keras_layers)
