"""Several hosts: network namespaces with addresses of their own, joined by a bridge."""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest

from tests.distributed.clusters import PATIENCE_S, Cluster, digests, matches, run, started, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.process]

NAMES = ("one", "two", "three")
TAG = f"{os.getpid() % 100_000:05d}"
NETWORK = f"10.213.{os.getpid() % 250}"


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def space(name: str) -> str:
    return f"dbg{TAG}{name}"


def link(i: int) -> str:
    """Name of the end of a host's cable at the bridge."""
    return f"dbg{TAG}v{i}"


def connect() -> None:
    """Make the bridge, and a host for each name."""
    bridge = f"dbg{TAG}b"
    ip("link", "add", bridge, "type", "bridge")
    ip("address", "add", f"{NETWORK}.1/24", "dev", bridge)
    ip("link", "set", bridge, "up")
    for i, name in enumerate(NAMES):
        ip("netns", "add", space(name))
        ip("link", "add", link(i), "type", "veth", "peer", "name", "eth0", "netns", space(name))
        ip("link", "set", link(i), "master", bridge, "up")
        ip("-n", space(name), "address", "add", f"{NETWORK}.{i + 2}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            ip("-n", space(name), "link", "set", device, "up")


def disconnect() -> None:
    for i, name in enumerate(NAMES):
        subprocess.run(["ip", "link", "delete", link(i)], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "delete", space(name)], check=False, capture_output=True)
    subprocess.run(["ip", "link", "delete", f"dbg{TAG}b"], check=False, capture_output=True)


@pytest.fixture
def hosts(tmp_path):
    """A scheduler on this host, and a worker on each of three others."""
    if os.geteuid() or shutil.which("ip") is None:
        pytest.skip("network namespaces need root and the program ip")
    try:
        connect()
    except subprocess.CalledProcessError as error:
        disconnect()
        pytest.skip(f"network namespaces cannot be made here: {error.stderr.strip()}")
    place = tmp_path / "cluster"
    place.mkdir()
    cluster = Cluster(place, f"{NETWORK}.1", silence_s=5)
    try:
        for name in NAMES:
            cluster.add(name, way=["ip", "netns", "exec", space(name)])
        cluster.ready()
        yield cluster
    finally:
        cluster.close()
        disconnect()


@pytest.fixture
def reads(tmp_path):
    rng, path = random.Random(5), tmp_path / "reads.fq"
    genome = "".join(rng.choices("ACGT", k=20_000))
    starts = [rng.randrange(len(genome) - 100) for _ in range(8000)]
    path.write_text("".join(f"@{i}\n{genome[at : at + 100]}\n+\n{'I' * 100}\n" for i, at in enumerate(starts)))
    return path


def command(reads) -> list[str]:
    return ["unitigs", str(reads), "-k", "31", "-o", "unitigs.gfa"]


@pytest.fixture
def expected(tmp_path, reads):
    place = tmp_path / "expected"
    place.mkdir()
    assert run([*command(reads), "-q"], place) == (0, "")
    return digests(place)


def test_workers_of_several_hosts_write_what_one_process_writes(tmp_path, hosts, reads, expected):
    place = tmp_path / "results"
    place.mkdir()
    code, errors = run([*command(reads), "-v", "--dask", hosts.address], place)
    assert code == 0, errors
    assert "3 workers with 3 threads" in errors
    assert matches(place, expected)


@pytest.mark.parametrize("step", ["shuffle", "partitions:"])
def test_a_host_whose_cable_is_pulled_changes_nothing(tmp_path, hosts, reads, expected, step):
    place = tmp_path / "results"
    place.mkdir()
    process = started([*command(reads), "-v", "--dask", hosts.address], place)
    wait_for(process, step)
    ip("link", "set", link(1), "down")
    _out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert "worker two" in errors
    assert matches(place, expected)
