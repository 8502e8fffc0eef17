"""The smallest model of every family in keras.applications, forward and training."""

import inspect

import keras
import pytest
from keras_oracle import exported, forward, tally, training

from tfprof.analyses.cost.op_costs import op_costs

pytestmark = pytest.mark.long

SMALLEST = {
    "convnext": "ConvNeXtTiny",
    "densenet": "DenseNet121",
    "efficientnet": "EfficientNetB0",
    "efficientnet_v2": "EfficientNetV2B0",
    "inception_resnet_v2": "InceptionResNetV2",
    "inception_v3": "InceptionV3",
    "mobilenet": "MobileNet",
    "mobilenet_v2": "MobileNetV2",
    "mobilenet_v3": "MobileNetV3Small",
    "nasnet": "NASNetMobile",
    "resnet": "ResNet50",
    "resnet_v2": "ResNet50V2",
    "vgg16": "VGG16",
    "vgg19": "VGG19",
    "xception": "Xception",
}


def test_every_family_is_here():
    models = [one for one in vars(keras.applications).values() if inspect.isfunction(one)]
    families = {one.__module__.rpartition(".")[2] for one in models}
    assert families == set(SMALLEST)


@pytest.mark.parametrize("kind", [forward, training], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("family", SMALLEST)
def test_family(family, kind):
    model = getattr(keras.applications, SMALLEST[family])(weights=None)
    data = exported(kind(model)).data
    found = tally(data)
    print(f"{SMALLEST[family]}, {kind.__name__}: {len(data.graph)} nodes, {found.tensors} tensors")
    assert found.tensors > len(data.graph) / 2
    assert found.without_rule == []
    assert found.differ == []
    assert found.open == []
    costs = op_costs(data)
    assert costs.uncounted == []
    if kind is forward:
        settled = op_costs(exported(forward(model, batch=3, open=224)).data)
        sizes = {"B": 3, "H": 224, "W": 224}
        assert costs.total.macs.at(sizes) == settled.total.macs
    keras.backend.clear_session()
