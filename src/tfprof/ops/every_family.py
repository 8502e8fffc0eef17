"""Importing this registers the rules of every family: those of all files here."""

import tfprof.ops
from tfprof.module_names import load_all

load_all(tfprof.ops)
