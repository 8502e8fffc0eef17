"""`tfprof run`: a script is started as it is, and its steps are found from inside.

The parent (`process`) starts the script with one folder more to look for modules in (`site`), which
Python loads a file from before the script begins. That one (`start`) waits for TensorFlow and Keras
to be imported by the script (`import_hooks`), and then listens to a few of their methods
(`hooks_*`). `loop` makes steps of what is heard, `watch` hands them to the recorder, `ending` sees
to it that nothing is lost when the script ends, and `children` to processes that it starts.
"""
