"""Forty commands whose output bytes are fixed; inputs are the files in `data`, the texts here and earlier outputs."""

from __future__ import annotations

READS = "data/phix174_R1.fastq.gz data/phix174_R2.fastq.gz"

#: Files that some of the commands read
TEXTS = {
    "rings.txt": "a -> b, c\nb -> d\nc -> d\nd -> a, a\n",
    "path.tsv": "1\t2\n2\t3\n3\t1\n3\t4\n",
    "weighted.csv": "x,y,2.5\ny,z,1\nz,x,4\nz,w,1\n",
    "numbers.txt": "".join(f"{i * 7919 % 1009}\t{(i * 104729 % 65537) / 8}\n" for i in range(3000)),
    "keys.txt": "".join(f"{i}\n" for i in range(0, 1009, 17)),
    "masses.txt": "0 113 128 186 241 299 314 427\n",
}

#: Name: arguments. ``{out}`` is what the command writes to; without it, standard output counts.
COMMANDS = {
    "simulate": "simulate data/phix174_J02482.fa --circular --paired --depth 30 --seed 7 -o {out}.fastq",
    "simulate-single": "simulate data/phix174_J02482.fa --length 80 --depth 12 --seed 3",
    "assemble": "assemble -1 data/phix174_R1.fastq.gz -2 data/phix174_R2.fastq.gz -k 51 --min-count 2 -o {out}",
    "assemble-auto": f"assemble {READS} -o {{out}}",
    "assemble-euler": f"assemble --walk euler {READS} -k 31",
    "assemble-raw": f"assemble --no-clean --min-count 1 --min-contig 100 {READS} -k 41 -o {{out}}",
    "unitigs": f"unitigs -k 31 --min-count 3 {READS}",
    "unitigs-gfa": f"unitigs -k 25 --no-clean {READS} -o {{out}}.gfa",
    "unitigs-eulertigs": f"unitigs -k 31 --min-count 1 --no-clean --tigs eulertigs {READS}",
    "count": f"count -k 21 --min-count 5 {READS} --histogram {{out}}.hist -o {{out}}.tsv",
    "count-forward": f"count -k 40 --forward {READS} -o {{out}}.npz",
    "spectrum": f"spectrum -k 21 {READS} --json",
    "stats": "stats data/phix174_J02482.fa assemble/contigs.fasta unitigs-gfa.gfa --format tsv",
    "graph-report": "graph rings.txt --format json",
    "graph-weak": "graph path.tsv --components weak",
    "graph-strong": "graph path.tsv --components strong",
    "graph-pagerank": "graph weighted.csv --pagerank --iterations 500",
    "graph-convert": "graph unitigs-gfa.gfa --convert tsv",
    "graph-reads": "graph -k 15 --min-count 2 --multiplicity data/phix174_R1.fastq.gz --convert csr -o {out}.npz",
    "generate-random": "generate random -n 500 --seed 5 -o {out}.npz",
    "generate-eulerian": "generate eulerian -n 500 --seed 5",
    "generate-cactus": "generate cactus -n 700 --cycle-edges 9 --format csr -o {out}.npz",
    "generate-genome": "generate genome -n 3000 -k 13 --repeats 4 --repeat-length 100 --format tsv",
    "euler": "euler generate-eulerian.out --verify",
    "euler-trails": "euler generate-random.npz --trails -o {out}.npz",
    "euler-hierholzer": "euler rings.txt --algorithm hierholzer --start d",
    "euler-count": "euler rings.txt --count",
    "draw": "draw rings.txt --euler -o {out}.dot",
    "sort": "sort --key 2r,1 numbers.txt",
    "distinct": "distinct --count numbers.txt -o {out}.npy",
    "compact": "compact --where <100 --indices numbers.txt",
    "histogram": "histogram --bins 12 --key 2 numbers.txt",
    "join": "join keys.txt numbers.txt --fields 2,1 --format csv",
    "debruijn": "debruijn --alphabet 10 -n 4",
    "debruijn-crt": "debruijn --alphabet 6 -n 4 --method crt --offset 100",
    "debruijn-random": "debruijn --alphabet ACGT -n 6 --method random --seed 9 --linear",
    "debruijn-both-strands": "debruijn --alphabet ACGT -n 5 --both-strands",
    "lookandsay": "lookandsay 1 -n 30",
    "cyclospec": "cyclospec NQEL TYRANQEL",
    "cyclospec-sequence": "cyclospec sequence masses.txt",
}

#: Commands without ``--backend``, or whose algorithm is sequential
ON_CPU_ALONE = ("simulate", "simulate-single", "stats", "euler-hierholzer", "euler-count", "debruijn-random")
