"""The stores people keep their runs in, as emulators that run here: S3, Google Cloud, Azure."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from run_cli import spawn

import tfprof
from tfprof.sources.files import store_listing, stores
from tfprof.sources.files.opener import spelt
from tfprof.sources.files.stores import store_of


@pytest.fixture(scope="module")
def run_files(samples: Path) -> Path:
    return samples / "resnet32"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def s3(run_files):
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "n0t-shown",
        "AWS_DEFAULT_REGION": "us-east-1",
        # what this machine has of its own
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=settings["AWS_ENDPOINT_URL"],
        aws_access_key_id="someone",
        aws_secret_access_key="n0t-shown",  # noqa: S106
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="runs")
    for path in run_files.iterdir():
        client.upload_file(str(path), "runs", f"resnet32/{path.name}")
    yield "s3://runs/resnet32", settings
    server.stop()


@pytest.fixture(scope="module")
def gcs(run_files):
    from gcp_storage_emulator.server import create_server

    server = create_server("127.0.0.1", 0, in_memory=True, default_bucket="runs")
    server.start()
    address = f"http://127.0.0.1:{server._api._httpd.server_address[1]}"
    for path in run_files.iterdir():
        query = urllib.parse.urlencode({"uploadType": "media", "name": f"resnet32/{path.name}"})
        request = urllib.request.Request(  # noqa: S310  (our own server)
            f"{address}/upload/storage/v1/b/runs/o?{query}",
            path.read_bytes(),
            {"Content-Type": "application/octet-stream"},
        )
        urllib.request.urlopen(request, timeout=10).close()  # noqa: S310
    yield "gs://runs/resnet32", {"STORAGE_EMULATOR_HOST": address, "NO_GCE_CHECK": "true"}
    server.stop()


@pytest.fixture(scope="module")
def azure(run_files, tmp_path_factory):
    """Azurite comes from npm: 190 MB, so this one runs with the long tests."""
    folder = tmp_path_factory.mktemp("azurite")
    npm = shutil.which("npm")
    assert npm, "the emulator of Azure needs npm"
    subprocess.run([npm, "install", "--silent", "azurite"], cwd=folder, check=True, timeout=300)
    port = _free_port()
    server = subprocess.Popen(
        [folder / "node_modules/.bin/azurite-blob", "--blobPort", str(port),
         "--inMemoryPersistence", "--skipApiVersionCheck", "--silent"],
        cwd=folder,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}/devstoreaccount1"
    # the account that every emulator has, as its documentation says
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
    connection = (
        "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
        f"AccountKey={key};BlobEndpoint={address};"
    )
    _wait_for(port)
    from azure.storage.blob import BlobServiceClient

    container = BlobServiceClient.from_connection_string(connection).create_container("runs")
    for path in run_files.iterdir():
        container.upload_blob(f"resnet32/{path.name}", path.read_bytes())
    yield "az://runs/resnet32", {"AZURE_STORAGE_CONNECTION_STRING": connection}
    server.terminate()
    server.wait(10)


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nobody listens at port {port}")


STORES = ("s3", "gcs", pytest.param("azure", marks=pytest.mark.long))


@pytest.fixture(params=STORES)
def store(request):
    return request.getfixturevalue(request.param)


def test_a_run_in_a_store_answers_like_one_here(store, run_files):
    address, settings = store
    there = spawn("scope", address, "--json", **settings)
    here = spawn("scope", run_files, "--json")
    assert there.code == 0, there.err
    assert json.loads(there.out)["data"] == json.loads(here.out)["data"]


def test_an_answer_is_written_there_and_read_again(store):
    address, settings = store
    target = f"{address}-kept/all.tfprof"
    done = spawn("save", address, "-o", target, **settings)
    assert done.code == 0, done.err
    assert spawn("scope", target, "-max_depth", 1, **settings).code == 0
    again = spawn("save", address, "-o", target, **settings)
    assert again.code == 5
    assert "the file exists" in again.err


def test_what_is_not_there(store):
    address, settings = store
    done = spawn("summary", f"{address}/nothing.pb", **settings)
    assert done.code == 3
    assert f"{address}/nothing.pb" in done.err


def test_credentials_are_asked_for_and_not_shown(s3):
    address, settings = s3
    done = spawn("summary", address, **{**settings, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"})
    assert done.code == 3
    assert "AWS_ACCESS_KEY_ID" in done.err
    assert "n0t-shown" not in done.out + done.err


def test_runs_of_a_bucket_are_called_as_on_a_disk(store):
    address, settings = store
    names = ["day1/run.tfprof", "day2/run.tfprof"]
    for name in names:
        assert spawn("save", address, "-o", f"{address}-names/{name}", **settings).code == 0
    for place in (f"{address}-names", f"{address}-names/**"):
        told = spawn("log", place, "--no-index", **settings).out.split()
        assert sorted(word for word in told if word.endswith(".tfprof")) == names


def test_the_history_of_a_bucket_reads_a_run_once(store, run_files):
    address, settings = store
    saved = f"{address}-history/day1/run.tfprof"
    assert spawn("save", address, "-o", saved, **settings).code == 0
    pattern = f"{address}-history/**"
    first, again = (spawn("log", pattern, "--json", **settings) for _ in range(2))
    assert first.code == again.code == 0, first.err + again.err
    told, told_again = (json.loads(one.out)["data"] for one in (first, again))
    index = f"{address}-history/.tfprof-log.json"
    assert told["index"] == {"known": 0, "read": 1, "written": [index]}
    assert told_again["index"] == {"known": 1, "read": 0, "written": []}
    assert told_again["runs"] == told["runs"]
    here = tfprof.log(run_files, index=False).to_dict()["data"]["runs"][0]
    (row,) = told["runs"]
    assert row["path"] == saved
    assert [row[key] for key in ("params", "flops", "step_us", "when")] == [
        here[key] for key in ("params", "flops", "step_us", "when")
    ]


def _read_only_s3(settings):
    """Who may read and list, and nothing else: as IAM has it, which the emulator enforces."""
    import boto3

    known = {
        "aws_access_key_id": settings["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": settings["AWS_SECRET_ACCESS_KEY"],
        "region_name": "us-east-1",
        "endpoint_url": settings["AWS_ENDPOINT_URL"],
    }
    iam = boto3.client("iam", **known)
    iam.create_user(UserName="reader")
    allowed = {"Effect": "Allow", "Action": ["s3:Get*", "s3:List*"], "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.put_user_policy(UserName="reader", PolicyName="reads", PolicyDocument=policy)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    return {
        **settings,
        "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
    }


@contextmanager
def _enforced(settings):
    """The emulator asks who calls only when it is told to."""
    address = f"{settings['AWS_ENDPOINT_URL']}/moto-api/reset-auth"
    for count in (b"0", b"inf"):
        plain = {"Content-Type": "text/plain"}
        request = urllib.request.Request(address, count, plain, method="POST")  # noqa: S310
        urllib.request.urlopen(request, timeout=10).close()  # noqa: S310
        if count == b"0":
            yield


@contextmanager
def _s3_that_is_only_read(settings):
    reader = _read_only_s3(settings)
    with _enforced(settings):
        yield reader


@contextmanager
def _azure_that_is_only_read(settings):
    """A signature that lets its holder read and list."""
    from datetime import UTC, datetime, timedelta

    from azure.storage.blob import (
        AccountSasPermissions,
        ResourceTypes,
        generate_account_sas,
    )

    said = dict(
        one.split("=", 1) for one in settings["AZURE_STORAGE_CONNECTION_STRING"].split(";") if one
    )
    signature = generate_account_sas(
        said["AccountName"],
        said["AccountKey"],
        ResourceTypes(service=True, container=True, object=True),
        AccountSasPermissions(read=True, list=True),
        datetime.now(UTC) + timedelta(hours=1),
    )
    connection = f"BlobEndpoint={said['BlobEndpoint']};SharedAccessSignature={signature}"
    yield {"AZURE_STORAGE_CONNECTION_STRING": connection}


@pytest.mark.parametrize(
    ("store", "only_read"),
    [
        ("s3", _s3_that_is_only_read),
        pytest.param("azure", _azure_that_is_only_read, marks=pytest.mark.long),
    ],
)
def test_of_a_bucket_that_is_only_read_the_index_is_in_the_cache(
    request, store, only_read, tmp_path
):
    address, settings = request.getfixturevalue(store)
    history = f"{address}-only-read"
    assert spawn("save", address, "-o", f"{history}/run.tfprof", **settings).code == 0
    with only_read(settings) as reader:
        words = ("log", history, "--json")
        cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        first, again = (spawn(*words, **reader, **cache) for _ in range(2))
        assert first.code == again.code == 0, first.err + again.err
        refused = spawn("save", address, "-o", f"{history}/other.tfprof", **reader)
        assert refused.code == 5
    told, told_again = (json.loads(one.out)["data"] for one in (first, again))
    (index,) = told["index"]["written"]
    assert Path(index).parent == tmp_path / "cache" / "tfprof" / "log"
    assert told_again["index"] == {"known": 1, "read": 0, "written": []}
    assert told_again["runs"] == told["runs"]
    # nothing was left in the bucket
    beside = spawn("log", history, "--json", XDG_CACHE_HOME=str(tmp_path / "other"), **settings)
    assert json.loads(beside.out)["data"]["index"]["read"] == 1


@pytest.mark.parametrize("store", ["s3", "gcs", pytest.param("azure", marks=pytest.mark.long)])
def test_a_bucket_is_listed_no_further_than_asked_for(request, store):
    address, settings = request.getfixturevalue(store)
    history = f"{address}-many"
    for name in ("a", "b", "c"):
        target = f"{history}/{name}/run.tfprof"
        assert spawn("save", address, "-o", target, **settings).code == 0
    some = json.loads(spawn("log", history, "--most-files", 2, "--json", **settings).out)
    assert [row["path"] for row in some["data"]["runs"]] != []
    assert len(some["data"]["runs"]) == 2
    assert "--most-files" in some["warnings"][0]
    every = json.loads(spawn("log", history, "--json", **settings).out)
    assert (len(every["data"]["runs"]), every["data"]["index"]["known"]) == (3, 2)
    # the index is there now: it is no run, and what is behind it is not forgotten
    again = json.loads(spawn("log", history, "--most-files", 3, "--json", **settings).out)
    assert "--most-files" in again["warnings"][0]
    whole = json.loads(spawn("log", history, "--most-files", 4, "--json", **settings).out)
    assert len(whole["data"]["runs"]) == 3
    assert "--most-files" not in "".join(whole["warnings"])


@pytest.mark.parametrize("store", ["s3", "gcs", pytest.param("azure", marks=pytest.mark.long)])
def test_no_more_of_a_bucket_comes_here_than_asked_for(request, store, monkeypatch):
    """However much there is: what the library of the store gets is counted."""
    address, settings = request.getfixturevalue(store)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    folder = spelt(Path(address))
    files = store_of(folder.parts[0].rstrip(":"))
    every = [one.path for one in files.below(folder, 1_000).files]
    assert len(every) > 3
    assert every == sorted(every)
    came = []
    kept = store_listing.found_below
    monkeypatch.setattr(stores, "found_below", lambda *words: came.append(kept(*words)) or came[-1])
    with _sizes_of_pages(files._fs) as asked:
        some = files.below(folder, 2)
    assert [one.path for one in some.files][:3] == every[:3]
    assert not some.is_whole
    if store == "gcs":  # the emulator sends all, whatever it is asked for
        assert asked == [3]
    else:
        assert len(came[0]) == 3
    # a part is not taken for the whole
    assert [*files.listed(folder)[1]] == [one.name for one in every]
    assert files.below(folder, len(every)).is_whole
    assert not files.below(folder, len(every) - 1).is_whole


@contextmanager
def _sizes_of_pages(files):
    """What Google is asked for."""
    asked, call = [], getattr(files, "_call", None)

    async def heard(*words, **named):
        asked.append(named.get("maxResults"))
        return await call(*words, **named)

    files._call = heard
    yield asked
    files._call = call
