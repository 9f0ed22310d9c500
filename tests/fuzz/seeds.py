"""Sound files of every format, small: what mutators begin with. They come from phiX174, its reads, and generators."""

from __future__ import annotations

import base64
import functools
import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from debruijn_gpu.colors.color_sets import ColorSets, no_color_sets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.io.color_index.writing import write_color_index
from debruijn_gpu.io.kmer_sets.files import write_table
from debruijn_gpu.io.kmer_sets.writing import SetWriter
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets.source import HeldKmers
from tests.cli.small_inputs import color_index
from tests.helpers import RINGS, table_of

DATA = Path(__file__).parents[2] / "data"


@functools.cache
def genome() -> str:
    """Sequence of phiX174."""
    return "".join(DATA.joinpath("phix174_J02482.fa").read_text().split("\n")[1:])


@functools.cache
def reads() -> list[str]:
    """The first reads of phiX174, as records of four lines."""
    with gzip.open(DATA / "phix174_R1.fastq.gz", "rt") as stream:
        lines = [next(stream) for _ in range(4 * 24)]
    return ["".join(lines[i : i + 4]) for i in range(0, len(lines), 4)]


def _wrapped(sequence: str, width: int = 60) -> str:
    return "".join(sequence[i : i + width] + "\n" for i in range(0, len(sequence), width))


def fasta() -> list[bytes]:
    text = genome()
    records = "".join(f">contig_{i} length={300 + i} kmer_depth=12.{i} circular=no\n{_wrapped(text[i * 300 :][:300])}"
                      for i in range(1, 6))  # fmt: skip
    spades = "".join(f">NODE_{i}_length_200_cov_{i}.5\n{text[i * 200 :][:200]}\n" for i in range(1, 4))
    odd = f">\n{text[:40].lower()}\n>x\n\n>y z\nNNNN{text[:30]}NNRYKM-*.\n>y/1 \r\nACGU\r\n"
    return [records.encode(), spades.encode(), odd.encode(), f">phiX\n{_wrapped(text)}".encode()]


def fastq() -> list[bytes]:
    odd = "@a/1\nACGTN\n+\n!!~~I\n@b comment\nacgu\n+\n@@@@\n@\nA\n+\n+\n"
    return ["".join(reads()[:12]).encode(), "".join(reads()[12:]).encode(), odd.encode()]


def lines() -> list[bytes]:
    text = genome()
    return ["".join(text[i : i + 100] + "\n" for i in range(0, 900, 90)).encode(), b"ACGT\nacgtn\n\nTTTT"]


def gfa() -> list[bytes]:
    text, k = genome(), 21
    parts = [text[i * 80 : i * 80 + 80 + k - 1] for i in range(6)]
    segments = "".join(
        f"S\t{i}\t{part}\tLN:i:{len(part)}\tDP:f:{i}.25\tKC:i:{80 * i}\n" for i, part in enumerate(parts)
    )
    links = "".join(f"L\t{i}\t+\t{i + 1}\t+\t{k - 1}M\n" for i in range(5)) + f"L\t5\t-\t5\t+\t{k - 1}M\tID:Z:x\n"
    whole = f"H\tVN:Z:1.0\n{segments}{links}P\tcontig_1\t0+,1+,2+\t*\n"
    gaps = "H\tVN:Z:1.2\nS\ta\tACGT\nS\tb\t*\tLN:i:7\nS\tc\tACGTACG\nL\ta\t+\tc\t-\t2M1D1M\n"
    gaps += "J\ta\t+\tb\t-\t200\nP\tp\ta+;b-\t*\n"
    odd = "# made by hand\nS\tb_cov_3.5_x\tAC\nL\tb_cov_3.5_x\t+\tlater\t-\t*\nS\tlater\tNNRY\tdp:i:9\n"
    odd += "S\tr\tA\nL\tr\t+\tr\t+\t0M\n"
    return [whole.encode(), gaps.encode(), odd.encode()]


def bcalm() -> list[bytes]:
    text = genome()
    return ["".join(f">{i} LN:i:60 KC:i:120 km:f:3.0  L:+:{(i + 1) % 4}:+ L:-:{(i - 1) % 4}:-\n{text[i * 40 :][:60]}\n"
                    for i in range(4)).encode()]  # fmt: skip


def adjacency() -> list[bytes]:
    return [RINGS.encode(), b"# streets\n1 -> 2,3\n2->1\n3 ->\n", "a->b\nb -> é, 'c d'\n".encode(), b"ACG -> CGT\n"]


def edges() -> list[bytes]:
    weighted = b"tail,head,weight\nx,y,2.5\ny,z,1\nz,x,4\nz,w,1e3\n"
    return [
        b"1\t2\n2\t3\n3\t1\n3\t4\n",
        b"# c\n0 1 0.5\n1 0 2\n5 0 7\n",
        weighted,
        b"4 4\n0 0\n18446744073709551615 1\n",
    ]


def numbers() -> list[bytes]:
    rng = random.Random(5)
    table = "".join(f"{rng.randrange(-99, 10**6)}\t{rng.random():.6g}\t{2**63 + rng.randrange(9)}\n" for _ in range(40))
    return [
        b"3\n1\n2\n1\n",
        table.encode(),
        b"# x\n1,2.5\n-3, 1e5\n007,-0\n",
        b"18446744073709551615\n0\n",
        b"nan\ninf\n",
    ]


def npy() -> list[bytes]:
    arrays = (np.arange(20), np.array([[0, 1], [1, 2], [2, 0]]), np.array([[0, 1, 0.5], [1, 0, 2.0]]),
              np.arange(6, dtype=np.float32).reshape(3, 2, order="F"), np.array([1, 2, 0], np.uint8), np.zeros(0),
              np.asfortranarray(np.arange(6, dtype=">i4").reshape(3, 2)))  # fmt: skip
    return [_saved(array) for array in arrays]


def _saved(array) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return stream.getvalue()


def _zipped(**arrays) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), _saved(array))
    return stream.getvalue()


def npz() -> list[bytes]:
    def whole(names, **more):
        meta = {"format": "debruijn_gpu graph", "schema_version": 1, "n_vertices": 4, "n_edges": 5, "names": names}
        array = np.frombuffer(json.dumps(meta).encode(), np.uint8)
        return _zipped(meta=array, row_ptr=np.array([0, 2, 3, 4, 5]), col=np.array([1, 2, 3, 3, 0], np.uint32), **more)

    letters, offsets = np.frombuffer(b"a+b-", np.uint8), np.arange(5)
    gfa_lines = np.frombuffer(b"S\ta\tACGT\nS\tb\t*\nL\ta\t+\tb\t+\t1M\n", np.uint8)
    ids = np.array([0, 0, 1]), np.array([1, 2, 2])
    return [
        whole({"kind": "numbers"}),
        whole({"kind": "labels"}, labels=np.array([3, 5, 8, 2**62])),
        whole({"kind": "text"}, name_offsets=offsets, name_letters=letters, weights=np.ones(5)),
        whole({"kind": "oriented"}, name_offsets=np.arange(3), name_letters=letters[::2], gfa=gfa_lines),
        whole({"kind": "kmers", "k": 3}, kmer_codes=np.arange(4, dtype=np.uint64).reshape(1, 4) << np.uint64(58)),
        whole({"kind": "words", "symbols": ["0", "1"], "length": 2}),
        _zipped(row=ids[0], col=ids[1], data=np.ones(3), shape=np.array([3, 3]), format=np.array(b"coo")),
        _zipped(indptr=np.array([0, 2, 3, 3]), indices=np.array([1, 2, 2]), data=np.array([1.0, 2, 3]),
                shape=np.array([3, 3]), format=np.array(b"csr")),
        _zipped(tails=ids[0], heads=ids[1]),
        _zipped(row_ptr=np.array([0, 2, 3, 3]), col=np.array([1, 2, 2])),
    ]  # fmt: skip


def raw() -> list[bytes]:
    return [np.arange(12, dtype="<u4").tobytes(), np.linspace(-1, 1, 8).astype("<f8").tobytes()]


def symbols() -> list[bytes]:
    return [b"0000100110101111\n", b">x\n0010\n111\n", b"ACGTTGCA\nACGT\n", b"red,green red\tgreen\n", "αβα\n".encode()]


def words() -> list[bytes]:
    return [b"00\n11\n", b"ACG\nCGT\nTTT\n", b"red green\ngreen,green\n\nred red\n", "äö\nöö\n".encode(), b"010\n111"]


def masses() -> list[bytes]:
    columns = b"# x\nmass\tintensity\n57.5\t3\n10.25\t1e2\n57.5 .5\n"
    return [b"0 113 128 186 241 299 314 427\n", columns, b"m/z count\n57.5 3\n99.25 1\n", b"57.02146,.5\n71. 007"]


def mgf() -> list[bytes]:
    header = "COM=two spectra\nCHARGE=1+\n\nBEGIN IONS\nTITLE=the first, a=b\nPEPMASS=415.2 1000\nCHARGE=2+\n"
    peaks = "113.084064 10\n114.5 0\n227.0 5.5e2 2+\n300.25 1 3\nEND IONS\nBEGIN IONS\n57.5 1\n57.5 2\nEND IONS\n"
    return [(header + peaks).encode()]


def mzml() -> list[bytes]:
    def term(accession, name, value=""):
        return f'<cvParam cvRef="MS" accession="{accession}" name="{name}" value="{value}"/>'

    def array(values, accession, name, packed):
        content = np.asarray(values, np.float64).tobytes()
        text = base64.b64encode(zlib.compress(content) if packed else content).decode()
        kind = ("MS:1000574", "zlib compression") if packed else ("MS:1000576", "no compression")
        terms = "".join(term(*each) for each in (("MS:1000523", "64-bit float"), kind, (accession, name)))
        return f'<binaryDataArray encodedLength="{len(text)}">{terms}<binary>{text}</binary></binaryDataArray>'

    def spectrum(i, level, packed):
        mz, heights = ("MS:1000514", "m/z array"), ("MS:1000515", "intensity array")
        both = array([113.25, 227.5, 300.75], *mz, packed) + array([10, 5, 1], *heights, packed)
        ion = term("MS:1000744", "selected ion m/z", "415.2") + term("MS:1000041", "charge state", "2")
        precursor = (
            '<precursorList count="1"><precursor><selectedIonList count="1"><selectedIon>'
            f"{ion}</selectedIon></selectedIonList></precursor></precursorList>"
        )
        return (
            f'<spectrum index="{i}" id="scan={i}" defaultArrayLength="3">{term("MS:1000511", "ms level", level)}'
            f'{precursor if level > 1 else ""}<binaryDataArrayList count="2">{both}</binaryDataArrayList></spectrum>'
        )

    spectra = spectrum(0, 1, False) + spectrum(1, 2, True) + spectrum(2, 2, False)
    start = '<?xml version="1.0" encoding="utf-8"?>\n<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0">'
    return [f'{start}<run id="r"><spectrumList count="3">{spectra}</spectrumList></run></mzML>'.encode()]


def peptides() -> list[bytes]:
    return [b"NQEL\nVKLFPWFNQY\n", b">first x\nNQ\nEL\n>second\nV[Orn]LF[+0.984]\n", b"# c\n57-71-128\n"]


def residues() -> list[bytes]:
    return [b"A 71.03711\nOrn\t114.07931 # ornithine\n# c\nX 57\n"]


def quast() -> list[bytes]:
    rows = "Assembly\tx\tcontigs\n# contigs (>= 0 bp)\t3\t1\nN50\t100\t5386\n"
    rows += "Genome fraction (%)\t99.1\t-\nGC (%)\t44.8\t\n"
    return [rows.encode(), rows.replace("\n", "\r\n").encode()]


def positions() -> list[bytes]:
    return [b"0\n10k\n1,000\n2^10\n", b"5\n 7 \n\n3"]


def digits() -> list[bytes]:
    return [b"3113322113\n", b" 1 "]


def _kmer_table(n: int = 60, k: int = 21) -> KmerTable:
    rng = random.Random(11)
    counts = {"".join(rng.choices("ACGT", k=k)): rng.choice([1, 3, 300, 70000]) for _ in range(n)}
    return table_of(counts, k)


def dbgk() -> list[bytes]:
    """Sets of several blocks, and of k-mers of several words."""
    found = []
    for table in (_kmer_table(), _kmer_table(9, 33), _kmer_table(0), _kmer_table(30, 5)):
        stream = io.BytesIO()
        writer = SetWriter(stream, table.k, True, 16)
        writer.add(table.codes, table.counts)
        writer.finish()
        found.append(stream.getvalue())
    return found


def dbgc() -> list[bytes]:
    """Colour indexes, one of them without k-mers, one without samples."""
    found = [color_index(), color_index(0)]
    for table in (_kmer_table(), _kmer_table(9, 33), _kmer_table(0)):
        n = len(table)
        sets = ColorSets(np.array([0, 1, 3]), np.array([0, 0, 1], np.uint32)) if n else no_color_sets()
        colored = replace(table, counts=(1 + np.arange(n) % 2).astype(np.uint32))
        index = ColorIndex(table.k, True, HeldKmers("x", colored), sets, ("a", "b"), np.array([n, n // 2]))
        stream = io.BytesIO()
        write_color_index(stream, index)
        found.append(stream.getvalue())
    return found


def depths() -> list[bytes]:
    """Tables of depths: of jgi_summarize_bam_contig_depths, with a header, and without one."""
    return [
        b"contigName\tcontigLen\ttotalAvgDepth\ta.bam\ta.bam-var\nc0\t100\t3.5\t3.5\t0.25\nc1\t90\t1e2\t0\t0\n",
        b"contig\tone\ttwo\nc0\t1\t2.5\nc1\t0\t1e-3\nother\t7\t7\n",
        b"c0\t12\r\nc1\t.5\r\n",
    ]


def kff() -> list[bytes]:
    """Our own files, and one with the sections of the specification."""
    found = []
    for table in (_kmer_table(), _kmer_table(9, 33)):
        stream = io.BytesIO()
        write_table(stream, "kff", table)
        found.append(stream.getvalue())
    values = {"k": 10, "m": 8, "max": 255, "data_size": 1}
    pairs = b"".join(name.encode() + b"\0" + value.to_bytes(8, "big") for name, value in values.items())
    variables = b"v" + len(values).to_bytes(8, "big") + pairs
    raw = b"r" + (2).to_bytes(8, "big") + bytes.fromhex("03b0240920" + "202f01"[2:] + "01" + "000271b0" + "0c")
    minimal = b"m" + bytes.fromhex("0271") + (1).to_bytes(8, "big") + bytes.fromhex("03" + "0003" + "25" + "202f01")
    header = b"KFF\x01\x00\x2d\x01\x00" + (2).to_bytes(4, "big") + b"hi"
    return [*found, header + variables + raw + b"KFF", header + variables + minimal + b"KFF"]


def kmer_text() -> list[bytes]:
    """k-mers and counts as lines and as FASTA."""
    return [b"ACGTA\t3\nCCGTA\t99999999999\n\nTTTTT 1\n", b">3\nACGTA\n>17\nCCCCC\n"]


def sample_sheets() -> list[bytes]:
    """Sheets of files in `DATA`, as GGCAT and kmtricks write them."""
    genome, first, second = "phix174_J02482.fa", "phix174_R1.fastq.gz", "phix174_R2.fastq.gz"
    tabs = f"# samples\ngenome\t{genome}\nreads\t{first},{second}\t3\n\nmore\t./{genome}\n"
    colons = f"genome : {genome}\nreads : {first} ; {second} ! 3\nother:{genome}!1\n"
    return [tabs.encode(), colons.encode(), (tabs.replace("more", "mehr ä") + "x : " + genome).encode()]


def kmc() -> list[bytes]:
    """Both files of a database, the prefixes behind the suffixes, which have a length of their own."""
    kmers = sorted(set(np.random.default_rng(3).integers(0, 4**5, 30).tolist()))
    starts = [sum(kmer >> 8 < prefix for kmer in kmers) for prefix in range(4)]
    header = struct.pack("<IIIIIIQB3xI", 5, 0, 1, 1, 1, 10**9, len(kmers), 0, 0) + bytes(20) + struct.pack("<I", 0)
    table = struct.pack("<4Q", *starts) + header + struct.pack("<I", len(header))
    suffixes = b"".join(bytes([kmer & 255, 7]) for kmer in kmers)
    return [b"KMCP" + table + b"KMCP", b"KMCS" + suffixes + b"KMCS"]
