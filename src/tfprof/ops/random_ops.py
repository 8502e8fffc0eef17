"""Random numbers, and the keys and counters they are drawn with. No work is counted for them."""

from __future__ import annotations

from tfprof.model.dims import Open
from tfprof.ops.rule import FLOAT, INT32, INT64, Call, Family, Tensor
from tfprof.ops.shape_tools import (
    broadcasting,
    by_value,
    dimension,
    fixed,
    like,
    no_output,
    shape_in,
)
from tfprof.ops.shape_values import typed
from tfprof.wire import dtypes

rule = Family("random")

_UINT64 = dtypes.ENUM_VALUES["DT_UINT64"]

# --- the shape is an input

rule("RandomUniform RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal",
     by_value(0), dtype="dtype")  # fmt: skip
rule("RandomUniformInt", by_value(0), dtype="Tout")
rule(
    "StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal"
    " StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2",
    typed(by_value(0), "dtype", FLOAT), dtype="dtype",
)  # fmt: skip
rule("StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2",
     typed(by_value(0), "dtype", _UINT64), dtype="dtype")  # fmt: skip
rule(
    "StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomGammaV2"
    " StatelessRandomGammaV3 StatelessRandomPoisson StatelessParameterizedTruncatedNormal",
    by_value(0), dtype="dtype",
)  # fmt: skip
rule("StatelessRandomBinomial NonDeterministicInts", typed(by_value(0), "dtype", INT64),
     dtype="dtype")  # fmt: skip
rule("StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal",
     typed(by_value(2), "dtype", FLOAT), dtype="dtype")  # fmt: skip
rule("StatefulStandardNormal", typed(by_value(1), "dtype", FLOAT), dtype="dtype")
rule("StatefulUniformInt StatefulRandomBinomial", typed(by_value(2), "dtype", INT64),
     dtype="dtype")  # fmt: skip
rule("StatefulUniformFullInt", typed(by_value(2), "dtype", _UINT64), dtype="dtype")
rule("RandomCrop", by_value(1))


# --- so many for each parameter


def _of_each(call: Call) -> list[Open]:
    drawn, parameters = shape_in(call, 0), call.input(1)
    return [None if drawn is None or parameters is None else drawn + parameters]


rule("RandomGamma", _of_each)
rule("RandomPoisson", _of_each, dtype="dtype")
rule("RandomPoissonV2", typed(_of_each, "dtype", INT64), dtype="dtype")
rule("RandomGammaGrad", broadcasting())


def _rows_of_samples(call: Call) -> list[Open]:
    return [(dimension(call.input(0), 0), call.scalar(1))]


rule("Multinomial StatelessMultinomial", typed(_rows_of_samples, "output_dtype", INT64),
     dtype="output_dtype")  # fmt: skip

# --- in another order

rule("RandomShuffle StatelessShuffle", like())

# --- keys and counters

_KEY, _COUNTER, _ALGORITHM = Tensor((1,), _UINT64), Tensor((2,), _UINT64), Tensor((), INT32)

rule("StatelessRandomGetKeyCounter", lambda _: [_KEY, _COUNTER], outputs=("key", "counter"))
rule("StatelessRandomGetKeyCounterAlg", lambda _: [_KEY, _COUNTER, _ALGORITHM],
     outputs=("key", "counter", "alg"))  # fmt: skip
rule("StatelessRandomGetAlg", lambda _: [_ALGORITHM])
rule("RngReadAndSkip", fixed((3,)), dtype=INT64)
rule("RngSkip", no_output)

# --- candidates for a sampled loss


def _candidates(call: Call) -> list[Tensor]:
    sampled = (call.integer("num_sampled"),)
    return [Tensor(sampled, INT64), Tensor(call.input(0), FLOAT), Tensor(sampled, FLOAT)]


rule(
    "LogUniformCandidateSampler UniformCandidateSampler LearnedUnigramCandidateSampler"
    " ThreadUnsafeUnigramCandidateSampler FixedUnigramCandidateSampler AllCandidateSampler",
    _candidates,
    outputs=("sampled_candidates", "true_expected_count", "sampled_expected_count"),
)  # fmt: skip
