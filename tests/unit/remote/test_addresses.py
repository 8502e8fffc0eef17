import re

import pytest
from run_cli import run

from tfprof.errors import UsageError
from tfprof.remote.addresses import addresses_in

GOOD = {
    "worker-0:6009": ("dns:///worker-0:6009", "worker-0_6009"),
    "Worker-0.Cluster.Local:6009": (
        "dns:///worker-0.cluster.local:6009",
        "worker-0.cluster.local_6009",
    ),
    "my_service:1": ("dns:///my_service:1", "my_service_1"),
    "unix:6009": ("dns:///unix:6009", "unix_6009"),  # a machine like any other
    "10.0.0.7:65535": ("ipv4:10.0.0.7:65535", "10.0.0.7_65535"),
    "[::1]:6009": ("ipv6:[::1]:6009", "--1_6009"),
    "[FE80:0::0001]:8": ("ipv6:[fe80::1]:8", "fe80--1_8"),
}
BAD = (
    "", " ", "worker", "worker:", ":6009", "worker:0", "worker:99999", "worker:65536", "worker:-1",
    "worker:+6009", "worker:6_0", "worker:٦٠٠٩", "worker: 6009", " worker:6009", "worker:6009 ",
    "wor ker:6009", "unix:/tmp/socket", "unix:///tmp/x:1", "unix-abstract:x:1",
    "dns:worker:6009", "dns:///worker:6009", "dns://8.8.8.8/worker:6009", "ipv4:10.0.0.7:6009",
    "xds:///worker:6009", "http://worker:6009", "worker:6009/path", "user@worker:6009",
    "../../etc/passwd:1", "a/b:1", "a\\b:1", ".:1", "..:1", "a..b:1", "-a:1", "a-:1", "worker.:1",
    "10.0.0.256:1", "10.0.7:1", "167772167:1", "0x7f.1:1", "010.0.0.7:1", "::1:6009", "[::1]",
    "[::1]6009", "[::1%eth0]:6009", "[10.0.0.7]:6009", "[worker]:6009", "[]:1", "wörker:6009",
    "a\n:1", "a\x1b[31m:1", "a\x00b:1", f"{'a' * 64}:1", f"{'a.' * 130}a:1", "%2e%2e:1", "*:1",
)  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_an_address_has_one_target_and_a_safe_name(text):
    (address,) = addresses_in([text])
    target, name = GOOD[text]
    assert (address.target, address.file_name) == (target, name)
    assert re.fullmatch(r"[A-Za-z0-9._-]+", name)
    assert addresses_in([str(address)]) == (address,)


@pytest.mark.parametrize("text", BAD)
def test_nothing_else_is_taken_for_one(text):
    with pytest.raises(UsageError):
        addresses_in([text])
    ran = run("capture", "--", text)
    assert (ran.code, ran.out) == (2, "")
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    "words", [[], ["a:1,,b:2"], ["a:1,"], ["a:1, b:2"], ["a:1,A:1"], ["a:1", "a:1"]]
)
def test_a_list_has_addresses_that_differ_and_nothing_else(words):
    assert run("capture", *words).code == 2


def test_commas_and_words_may_be_mixed():
    assert [str(one) for one in addresses_in(["b:2,a:1", "[::2]:3"])] == ["b:2", "a:1", "[::2]:3"]


def test_a_list_has_an_end():
    with pytest.raises(UsageError, match="at most 512"):
        addresses_in([",".join(f"worker-{number}:1" for number in range(513))])


@pytest.mark.parametrize(
    "option",
    [
        "--duration=0", "--duration=abc", "--duration=-1s", "--duration=11min", "--duration=0.1ms",
        "--duration=nan", "--duration=", "--duration=2 s s", f"--duration={'9' * 400}s",
        "--max-size=0", "--max-size=big", "--max-size=-1", "--max-size=", f"--max-size={'9' * 400}",
        "--logdir=", "--remote-logdir=",
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_before_anybody_is_asked(option):
    ran = run("capture", "127.0.0.1:1", option)
    assert (ran.code, ran.out) == (2, "")
