"""Examples of commands, at the end of their help pages: what each one is for, and the command line.

The tests run them, in a directory with the files that they read (``tests/cli/test_examples.py``).
"""

from __future__ import annotations

_READS = "-1 reads_1.fq.gz -2 reads_2.fq.gz"

#: Command, without ``dbg``: purposes and command lines
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "assemble": (
        ("Assemble read pairs; contigs, graph and reports go to a directory", f"dbg assemble {_READS} -o ecoli"),
        ("A metagenome, in at most 4 GiB of memory", f"dbg assemble {_READS} --preset meta -m 4G -o m"),
        ("Single reads and k of your choice", "dbg assemble reads.fq.gz -k 21,41,61 > single.fasta"),
    ),
    "unitigs": (
        ("Write the compacted de Bruijn graph, for Bandage", "dbg unitigs -k 31 reads.fq.gz -o unitigs.gfa"),
        (
            "Keep every k-mer of genomes, as few bases as possible",
            "dbg unitigs -k 31 --min-count 1 --no-clean --tigs eulertigs genome.fasta",
        ),
    ),
    "report": (
        ("Write the report page of an assembly, into its directory", "dbg report assembly"),
        ("Compare assemblies of several programs", "dbg report assembly contigs.fasta -o compared.html"),
    ),
    "stats": (
        ("Number of contigs, length, N50, GC content", "dbg stats contigs.fasta"),
        (
            "Compare assemblies, without short contigs, for a spreadsheet",
            "dbg stats assembly contigs.fasta --min-contig 500 -o stats.tsv",
        ),
    ),
    "simulate": (
        (
            "Pairs at a depth of 50: reads_R1.fq.gz and reads_R2.fq.gz",
            "dbg simulate genome.fasta --paired --depth 50 -o reads.fq.gz",
        ),
        ("Error-free reads of a circular genome", "dbg simulate genome.fasta --circular --sub-rate 0 --indel-rate 0"),
    ),
    "map": (
        ("Where reads are in contigs (PAF)", "dbg map reads.fq.gz contigs.fasta -o reads.paf"),
        ("Paths of reads in the graph of an assembly (GAF)", "dbg map reads.fq.gz assembly -o reads.gaf"),
    ),
    "screen": (
        ("Remove reads of a contaminant", "dbg screen reads.fq.gz --against genome.fasta -o clean.fq.gz"),
        (
            "Pairs with a mate that matches, and a table of the references",
            "dbg screen --12 pairs.fq --against genome.fasta --keep matched --report r.tsv",
        ),
        (
            "Cut adapters and what is behind them",
            "dbg screen reads.fq.gz --against adapters.fasta -k 23 --trim --ends right",
        ),
    ),
    "query": (
        ("Samples that have 80 % of the k-mers of each read", "dbg query a.dbgk,b.dbgk,c.dbgk reads.fq.gz -o hits.tsv"),
        (
            "k-mers of whole files in each sample, as a matrix",
            "dbg query a.dbgk,b.dbgk genome.fasta contigs.fasta --per-file --format matrix",
        ),
        ("Which k-mers of each record a sample has", "dbg query c.dbgk contigs.fasta --positions rle"),
    ),
    "bin": (
        ("Bins of an assembly: FASTA files, tables and a map", "dbg bin assembly --min-bin 1000 -o bins"),
        (
            "Depths of two samples, by mapping their reads; table to standard output",
            "dbg bin contigs.fasta reads_1.fq.gz reads_2.fq.gz --min-bin 1000",
        ),
    ),
    "count": (
        ("Count 21-mers that occur at least five times", "dbg count -k 21 --min-count 5 reads.fq.gz -o kmers.tsv"),
        ("k-mers of one strand, the most frequent first", "dbg count -k 8 --forward genome.fasta | sort -k 2,2nr"),
    ),
    "color": (
        ("Coloured graph of three samples", "dbg color a.dbgk b.dbgk c.dbgk -o colored.gfa"),
        ("All results in a directory", "dbg color a.dbgk b.dbgk c.dbgk -o pangenome/"),
        ("Unitigs of k-mers of a that b lacks", "dbg color grep abc.dbgc --any-of a --none-of b"),
    ),
    "color build": (
        ("Unitigs of one colour set each", "dbg color build a.dbgk b.dbgk --split-by-color -o unitigs.fasta"),
        ("Unitig by sample matrix", "dbg color build a.dbgk b.dbgk c.dbgk -o matrix.tsv"),
        ("An index, for queries", "dbg color build -k 21 reads_1.fq.gz genome.fasta -o two.dbgc"),
    ),
    "color grep": (
        ("Unitigs that all of three samples hold", "dbg color grep abc.dbgc --all-of a,b,c -o core.fasta"),
        ("k-mers of a alone", "dbg color grep abc.dbgc --any-of a --none-of b,c --format kmers"),
    ),
    "color sets": (
        ("Number, k-mers and samples of each colour set", "dbg color sets abc.dbgc"),
        ("The same in a file", "dbg color sets abc.dbgc -o color_sets.tsv"),
    ),
    "color samples": (
        ("Names and k-mers of the samples", "dbg color samples abc.dbgc"),
        ("The same in a file", "dbg color samples abc.dbgc -o samples.tsv"),
    ),
    "kmers": (
        ("k-mers of one sample that another lacks", "dbg kmers subtract a.dbgk b.dbgk -o only_a.dbgk"),
        ("k-mers of at least two of three samples", "dbg kmers union a.dbgk b.dbgk c.dbgk --at-least 2"),
        ("Similarity of all pairs, as a picture", "dbg kmers compare a.dbgk b.dbgk --measure ani -o ani.svg"),
    ),
    "matrix": (
        ("Presence of each 31-mer in three samples", "dbg matrix a.dbgk b.dbgk c.dbgk --presence -o matrix.tsv.gz"),
        ("Samples of a sheet, as a sparse matrix for SciPy", "dbg matrix samples.tsv -k 21 -o matrix.npz"),
        (
            "Prevalence of k-mers and growth of the pangenome, as a table and a picture",
            "dbg matrix samples.tsv --prevalence pangenome.tsv --prevalence pangenome.svg",
        ),
    ),
    "kmers union": (
        ("Add the counts of two samples", "dbg kmers union a.dbgk b.dbgk -o both.dbgk"),
        ("k-mers of exactly one of three", "dbg kmers union a.dbgk b.dbgk c.dbgk --exactly 1 -o one.tsv"),
    ),
    "kmers intersect": (
        ("k-mers of both samples, with the smaller count", "dbg kmers intersect a.dbgk b.dbgk"),
        ("k-mers of both, with the counts of the first", "dbg kmers intersect a.dbgk b.dbgk --count left"),
    ),
    "kmers subtract": (
        ("k-mers of a sample that two others lack", "dbg kmers subtract a.dbgk b.dbgk c.dbgk"),
        ("The same as KFF, for other programs", "dbg kmers subtract a.dbgk b.dbgk c.dbgk -o only_a.kff"),
    ),
    "kmers difference": (
        ("Counts of a sample less those of a control", "dbg kmers difference a.dbgk b.dbgk"),
        ("Only k-mers with a surplus of three", "dbg kmers difference a.dbgk b.dbgk --min-count 3"),
    ),
    "kmers symmetric": (
        ("k-mers by which two samples differ", "dbg kmers symmetric a.dbgk b.dbgk"),
        ("The same for three, as FASTA", "dbg kmers symmetric a.dbgk b.dbgk c.dbgk -o differ.fasta"),
    ),
    "kmers expr": (
        (
            "k-mers of two parents and the child, not of the control",
            "dbg kmers expr '(a + b) * c - d' a.dbgk b.dbgk c.dbgk d=other.tsv",
        ),
        ("Name the sets", "dbg kmers expr 'child - dam' child=a.dbgk dam=b.dbgk -o new.dbgk"),
    ),
    "kmers info": (
        ("k, strands, size and counts", "dbg kmers info a.dbgk b.dbgk"),
        ("Check all checksums", "dbg kmers info a.dbgk --check --format json"),
    ),
    "kmers dump": (
        ("k-mers and counts as text", "dbg kmers dump a.dbgk | head"),
        ("Convert text to a set, without rare k-mers", "dbg kmers dump other.tsv --min-count 2 -o other.dbgk"),
    ),
    "kmers histogram": (
        ("k-mer spectrum for GenomeScope", "dbg kmers histogram a.dbgk -o a.hist"),
        ("The same of text", "dbg kmers histogram other.tsv"),
    ),
    "kmers compare": (
        ("Jaccard index of all pairs", "dbg kmers compare a.dbgk b.dbgk c.dbgk -o jaccard.tsv"),
        ("Average nucleotide identity, as a picture", "dbg kmers compare a.dbgk b.dbgk --measure ani -o ani.png"),
        ("All measures, a line per pair", "dbg kmers compare a.dbgk b.dbgk c.dbgk --pairs"),
    ),
    "spectrum": (
        (
            "Histogram of k-mer counts for GenomeScope; estimates are logged",
            "dbg spectrum -k 21 reads.fq.gz -o reads.hist",
        ),
        ("Genome size, depth and error rate, as JSON", "dbg spectrum -k 21 reads_1.fq.gz reads_2.fq.gz --json"),
    ),
    "graph": (
        ("Vertices, edges, degrees, components, Euler circuits", "dbg graph edges.txt"),
        ("The most central vertices", "dbg graph edges.txt --pagerank | head"),
        ("The de Bruijn graph of reads, as an edge list", "dbg graph -k 5 reads.txt --convert tsv"),
    ),
    "euler": (
        ("An Euler circuit of each component", "dbg euler edges.txt"),
        ("A walk through all 3-mers of a text", "dbg euler -k 3 --forward --multiplicity --path reads.txt"),
        ("How many circuits are there?", "dbg euler edges.txt --count"),
    ),
    "draw": (
        ("A page for the browser, with zoom and search", "dbg draw graph.gfa -o graph.html"),
        (
            "The de Bruijn graph of all 3-letter words, as input of dot",
            "dbg draw --debruijn 2,3 --edge-labels -o words.dot",
        ),
        ("The neighbourhood of a vertex", "dbg draw edges.txt --around a --radius 1 -o around.dot"),
    ),
    "generate": (
        ("A graph with an Euler circuit, of a million vertices", "dbg generate eulerian -n 1M -o graph.npz"),
        ("The de Bruijn graph of DNA words of 4 letters", "dbg generate debruijn -n 4 --alphabet 4"),
    ),
    "debruijn": (
        ("All 4-digit codes, in 10,003 digits", "dbg debruijn --alphabet 10 -n 4 --linear"),
        (
            "All DNA words of 5 letters, or their reverse complements",
            "dbg debruijn --alphabet ACGT -n 5 --both-strands",
        ),
        ("A random sequence of 16 bits", "dbg debruijn -n 4 --method random --seed 7"),
    ),
    "debruijn locate": (
        ("Where is this word in the sequence?", "dbg debruijn locate --alphabet ACGT GATTACA"),
        ("Words of a file, one per line", "dbg debruijn locate --alphabet 10 < codes.txt"),
    ),
    "debruijn at": (
        ("The word at a position", "dbg debruijn at --alphabet ACGT -n 7 8500"),
        ("Positions beyond any computer's memory", "dbg debruijn at --alphabet 10 -n 60 10^50"),
    ),
    "debruijn verify": (
        ("Is this a de Bruijn sequence?", "dbg debruijn verify sequence.txt"),
        ("The same of what another program writes", "dbg debruijn -n 10 --method lfsr | dbg debruijn verify -n 10"),
    ),
    "debruijn count": (
        ("How many sequences are there?", "dbg debruijn count --alphabet 2 -n 5"),
        ("Of DNA words", "dbg debruijn count --alphabet ACGT -n 3"),
    ),
    "lookandsay": (
        ("The term ten steps after 1", "dbg lookandsay 1 -n 10"),
        ("Number of digits of a term that no disk holds", "dbg lookandsay 1 -n 1000 --length"),
    ),
    "cyclospec": (
        ("Masses of all subpeptides", "dbg cyclospec NQEL"),
        ("Which cyclic peptides have this spectrum?", "dbg cyclospec sequence spectrum.txt"),
    ),
    "cyclospec spectrum": (
        ("Masses of all subpeptides of two peptides", "dbg cyclospec spectrum NQEL Val-Orn-Leu"),
        ("Of a linear peptide, each mass with its multiplicity", "dbg cyclospec spectrum --linear --count NQEL"),
        ("Monoisotopic masses of peptides in a file", "dbg cyclospec spectrum --mass monoisotopic peptides.txt"),
    ),
    "cyclospec sequence": (
        ("Peptides with exactly this spectrum", "dbg cyclospec sequence spectrum.txt"),
        (
            "Those that explain most masses of a noisy spectrum",
            "dbg cyclospec sequence noisy.txt --method leaderboard --top 5",
        ),
    ),
    "cyclospec score": (
        ("How many masses of the peptide are in the spectrum?", "dbg cyclospec score NQEL spectrum.txt"),
        ("Within half a dalton, as a linear peptide", "dbg cyclospec score NQEL noisy.txt --linear --tolerance 0.5"),
    ),
    "cyclospec trim": (
        ("The peptides that explain most masses", "dbg cyclospec trim NQEL QNEL LEQN spectrum.txt --top 1"),
        ("The best ones of a file", "dbg cyclospec trim peptides.txt noisy.txt --top 5"),
    ),
    "cyclospec convolve": (
        ("Differences between masses, with their counts", "dbg cyclospec convolve spectrum.txt"),
        ("The most frequent ones", "dbg cyclospec convolve noisy.txt --top 10"),
    ),
    "cyclospec count": (
        ("How many linear peptides have this mass?", "dbg cyclospec count 1322"),
        ("Cyclic ones, of two residues", "dbg cyclospec count 1322 --cyclic --alphabet 57,71"),
    ),
    "sort": (
        ("Sort numbers, each once", "dbg sort --unique numbers.txt"),
        ("By the second column, largest first", "dbg sort --key 2r table.tsv"),
        ("Sort in place", "dbg sort table.tsv -o table.tsv"),
    ),
    "distinct": (
        ("How often does each number occur?", "dbg distinct --count numbers.txt"),
        ("The first record of each key in column 2", "dbg distinct --key 2 table.tsv"),
    ),
    "compact": (
        ("Records whose second column exceeds 10", "dbg compact --where '>10' --key 2 table.tsv"),
        ("Positions of the numbers that are not zero", "dbg compact --where nonzero --indices numbers.txt"),
    ),
    "histogram": (
        ("Ten equal bins from the minimum to the maximum", "dbg histogram numbers.txt"),
        ("How often each integer of column 2 occurs", "dbg histogram --integers --key 2 table.tsv"),
    ),
    "join": (
        ("Records whose first column is in a file", "dbg join keys.txt table.tsv"),
        ("The same by the second column", "dbg join keys.txt table.tsv --key 2"),
    ),
    "som": (
        ("Place each row of a table on a map of 4 x 4 units", "dbg som table.tsv --map 4x4"),
        (
            "Also save the weights and the U-matrix",
            "dbg som table.tsv --weights weights.npy --u-matrix u.npy -o units.tsv",
        ),
    ),
    "help": (
        ("List the commands", "dbg help"),
        ("Describe all options of one", "dbg help assemble --all"),
        ("Describe a subcommand", "dbg help debruijn verify"),
    ),
    "completion": (
        ("Complete commands in new shells: bash", "dbg completion bash >> ~/.bashrc"),
        ("zsh", "dbg completion zsh >> ~/.zshrc"),
    ),
    "doctor": (
        ("Check the installation", "dbg doctor"),
        ("The same for programs", "dbg doctor --json"),
    ),
    "warmup": (
        ("Compile what a command needs, before its first run", "dbg warmup lookandsay"),
        ("Kernels of several commands, for the CPU alone", "dbg warmup sort distinct --backend cpu"),
    ),
    "bench": (
        ("Time sorting at growing sizes", "dbg bench sort --max-size 1k --repeats 1"),
        ("Write the results as TSV", "dbg bench sort --sizes 1k,10k --repeats 1 --tsv"),
    ),
}


def examples_of(path: str) -> tuple[tuple[str, str], ...]:
    """Return purposes and lines of the examples of a command, such as ``dbg debruijn verify``."""
    return EXAMPLES.get(path.partition(" ")[2], ())
