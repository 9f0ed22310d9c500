"""Workers get pieces of results from each other, also where results were moved, or lost and made again."""

from __future__ import annotations

import os
import signal

import distributed
import pytest

from tests.distributed.clusters import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.process]

PRELOADED = """
import time
from debruijn_gpu.distributed import exchange

class Letters(exchange.Offered):
    def __init__(self, text):
        self.text = text

    def piece(self, which):
        if which == 9:
            raise OSError(28, "No space left on device")
        return [Letters(self.text[which])]

    def moved(self):
        return self

def make(number):
    exchange.serve_pieces()
    return Letters("abcdefgh"[number] * 3 + str(number))

def spell(directory, which):
    exchange.serve_pieces()
    return "".join(one.text for one in exchange.pieces(directory, which))
"""


@pytest.fixture
def client(cluster, monkeypatch, tmp_path):
    """A client of two workers, which find a module of this test."""
    (tmp_path / "letters.py").write_text(PRELOADED)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("one", "two"):
        cluster.add(name)
    with distributed.Client(cluster.ready(), timeout=PATIENCE_S) as found:
        found.upload_file(str(tmp_path / "letters.py"))
        yield found


def made_on(client, n):
    """Results of n tasks, on both workers in turn, and their directory."""
    from letters import make

    from debruijn_gpu.distributed.exchange import Directory

    workers = sorted(client.nthreads())
    made = [client.submit(make, i, workers=[workers[i % 2]], allow_other_workers=True, pure=False) for i in range(n)]
    distributed.wait(made, timeout=PATIENCE_S)
    where = client.who_has(made)
    return made, Directory(tuple(one.key for one in made), tuple(where[one.key][0] for one in made))


def spelt(client, directory, which, **options):
    from letters import spell

    return client.submit(spell, directory, which, pure=False, **options)


def test_pieces_come_in_the_order_of_results(client):
    made, directory = made_on(client, 6)
    assert len(set(directory.places)) == 2
    assert spelt(client, directory, 0).result(timeout=PATIENCE_S) == "abcdef"
    assert spelt(client, directory, 3).result(timeout=PATIENCE_S) == "012345"
    del made


def test_results_are_found_where_they_were_moved(client):
    made, directory = made_on(client, 6)
    client.retire_workers([directory.places[0]], close_workers=False)
    assert {place for places in client.who_has(made).values() for place in places} == {directory.places[1]}
    assert spelt(client, directory, 0).result(timeout=PATIENCE_S) == "abcdef"


def test_lost_results_are_made_again(client, cluster):
    made, directory = made_on(client, 6)
    names = {worker["name"]: address for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()}
    os.kill(cluster.workers["one"].pid, signal.SIGKILL)
    found = [spelt(client, directory, i) for i in (0, 1, 3)]
    assert client.gather(found) == ["abcdef", "abcdef", "012345"]
    assert {place for places in client.who_has(made).values() for place in places} == {names["two"]}


def test_a_worker_that_cannot_read_is_named(client):
    from debruijn_gpu.distributed.errors import ClusterError

    made, directory = made_on(client, 1)
    (other,) = set(client.nthreads()) - set(directory.places)
    with pytest.raises(ClusterError, match=r"^worker tcp://[0-9.:]+: No space left on device"):
        spelt(client, directory, 9, workers=[other]).result(timeout=PATIENCE_S)
    del made
