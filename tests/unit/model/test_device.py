"""Device names: what they say, and which of them mean one device."""

import pytest

from tfprof.model.device import DeviceNames, DeviceSpec

LOCAL = "/job:localhost/replica:0/task:0/device:"


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("/gpu:1", DeviceSpec(type="GPU", index="1")),
        ("GPU:1", DeviceSpec(type="GPU", index="1")),
        ("/device:XLA_GPU:0", DeviceSpec(type="XLA_GPU", index="0")),
        ("/device:GPU:*", DeviceSpec(type="GPU")),
        ("/device:GPU:0/stream:all", DeviceSpec(type="GPU", index="0")),
        ("/device:GPU:0/memcpy", DeviceSpec(type="GPU", index="0")),
        ("/job:ps/task:3", DeviceSpec(job="ps", task="3")),
        ("/host:vm/device:CPU:0", DeviceSpec(host="vm", type="CPU", index="0")),
        ("", DeviceSpec()),
    ],
)
def test_a_name_says_some_things_and_leaves_others_open(name, spec):
    assert DeviceSpec.of(name) == spec


def test_what_does_not_contradict_is_allowed():
    full = DeviceSpec.of(LOCAL + "CPU:0")
    assert DeviceSpec.of("/cpu:0").allows(full)
    assert DeviceSpec.of("/job:localhost").allows(full)
    assert DeviceSpec.of("").allows(full)
    assert not DeviceSpec.of("/cpu:1").allows(full)
    assert not DeviceSpec.of("/gpu:0").allows(full)
    assert not DeviceSpec.of("/job:ps/task:0/cpu:0").allows(full)


def test_the_names_of_graph_run_and_tracer_are_one():
    names = DeviceNames(
        [LOCAL + "CPU:0", LOCAL + "GPU:0", "/device:GPU:0/stream:all"], ["/gpu:0", "/gpu:7"]
    )
    assert names("/gpu:0") == names(LOCAL + "GPU:0") == names("/device:GPU:0/stream:all")
    assert names("/gpu:0") == "/gpu:0"
    assert names("/gpu:7") == "/gpu:7"
    assert names.find("gpu") == ["/gpu:0", "/gpu:7"]
    assert names.find("/gpu:0") == ["/gpu:0"]
    assert names.find("tpu") == []


def test_a_task_without_a_device_is_the_one_that_ran_there():
    used = [f"/job:{job}/replica:0/task:{n}/device:CPU:0" for job, n in (("ps", 0), ("worker", 0))]
    names = DeviceNames(used, ["/job:ps/task:0", "/job:ps/task:1"])
    assert names("/job:ps/task:0") == "/job:ps/task:0/cpu:0"
    assert names("/job:ps/task:1") == "/job:ps/task:1"
