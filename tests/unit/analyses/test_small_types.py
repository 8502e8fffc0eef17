"""Elements of less than a byte: several share one, and a tensor is rounded up to whole bytes."""

import pytest

from tfprof.analyses.cost import op_costs
from tfprof.analyses.graph.variables import Variable
from tfprof.analyses.memory import program
from tfprof.analyses.placement import profile_placement
from tfprof.analyses.training import added_step
from tfprof.model.dims import packed, symbol
from tfprof.ops.rule import Tensor
from tfprof.wire import dtypes

# 15 elements
SIZES = {"int4": 8, "uint4": 8, "int2": 4, "uint2": 4, "float4_e2m1fn": 8, "int8": 15}


@pytest.fixture(params=SIZES.items(), ids=SIZES)
def case(request):
    name, size = request.param
    return Tensor((3, 5), dtypes.number(name)), size


def test_every_count_of_bytes_knows_them(case):
    tensor, size = case
    assert op_costs.total_bytes([tensor, tensor]) == 2 * size
    assert added_step._bytes(tensor) == size
    assert profile_placement._bytes(tensor) == size
    assert program._bytes(tensor, program.MODELS["ideal"]) == (0, size)
    assert Variable("v", (3, 5), tensor.dtype, None).bytes == size


def test_an_open_batch_stays_exact():
    batch = symbol("B")
    int4, float32 = dtypes.number("int4"), dtypes.FLOAT
    assert str(packed(batch * 64, int4)) == str(batch * 32)
    assert str(packed(batch * 3, float32)) == str(batch * 12)
    assert packed(None, int4) is None
    assert packed(3, dtypes.STRING) is None
