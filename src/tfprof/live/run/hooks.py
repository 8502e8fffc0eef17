"""Which module of TensorFlow or Keras is listened to by whom, once it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from tfprof.live.run.hooks_eager import EagerSteps
from tfprof.live.run.hooks_functions import Functions
from tfprof.live.run.hooks_keras import KerasSteps
from tfprof.live.run.hooks_sessions import SessionHooks
from tfprof.live.run.import_hooks import Loaded
from tfprof.live.run.watch import Watch


def waiting(watch: Watch) -> dict[str, Loaded]:
    functions = Functions(watch)
    keras, eager, sessions = KerasSteps(functions), EagerSteps(functions), SessionHooks(functions)
    watch.before_close, watch.after_fork = functions.leave, keras.forget
    listeners: dict[str, Callable[[ModuleType], None]] = {
        "tensorflow.python.eager.polymorphic_function.polymorphic_function": functions.listen_to,
        "tensorflow.python.eager.polymorphic_function.concrete_function": (
            functions.listen_to_concrete
        ),
        "tensorflow.python.data.ops.iterator_ops": functions.listen_to_iterators,
        "tensorflow.python.distribute.input_lib": functions.listen_to_distributed,
        "tensorflow.python.client.session": sessions.listen_to,
        "tensorflow.python.eager.backprop": eager.listen_to_tapes,
        "tensorflow.python.ops.resource_variable_ops": eager.listen_to_variables,
        "keras.src.callbacks.callback_list": keras.listen_to,
        "keras.src.backend.tensorflow.trainer": keras.listen_to_trainer,
        "keras.src.optimizers.base_optimizer": eager.listen_to,
        "tf_keras.src.callbacks": keras.listen_to,
        "tf_keras.src.engine.training": keras.listen_to_trainer,
        "tf_keras.src.optimizers.optimizer": eager.listen_to,
        "tf_keras.src.optimizers.legacy.optimizer_v2": eager.listen_to,
    }
    if watch.wanted.duration is not None:  # what is recorded by the clock waits for no step
        listeners["tensorflow.python.profiler.profiler_v2"] = lambda _: watch.begin_by_time()
    return {name: _guarded(watch, listener) for name, listener in listeners.items()}


def _guarded(watch: Watch, listener: Loaded) -> Loaded:
    """A module that is not as it was in the versions that we know is not listened to."""

    def loaded(module: ModuleType) -> None:
        try:
            listener(module)
        except Exception as fault:  # noqa: BLE001  (the script goes on)
            watch.warn(f"{module.__name__} is not listened to: {type(fault).__name__}: {fault}")

    return loaded
