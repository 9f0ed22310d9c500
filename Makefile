# Everything runs in .venv, which is made anew when pyproject.toml changes. Needs Python 3.10 and PyPI.

PYTHON ?= python3
IN_VENV := .venv/bin/python
INSTALL := $(IN_VENV) -m pip install --quiet --disable-pip-version-check

# make bench READS_1=R1.fastq.gz READS_2=R2.fastq.gz REFERENCE=genome.fasta BENCH_OPTIONS='--threads 4'
# make bench-contigs REFERENCE=genome.fasta CONTIG_OPTIONS='--sets sets.tsv --simulator art' QUAST=/opt/quast/quast.py
# make bench-repeats REPEAT_OPTIONS='--genomes 3 --insert 300 500 --programs megahit spades'
# make bench STARTS_OPTIONS='--wheel dist/NAME.whl' measures the start of commands from a wheel, too
READS_1 ?=
READS_2 ?=
REFERENCE ?=
BENCH_OPTIONS ?=
CONTIG_OPTIONS ?=
REPEAT_OPTIONS ?=
STARTS_OPTIONS ?=
# make fuzz FUZZ_OPTIONS='--cases 1000000 --seconds 3600 --seed 1 --only fastq gfa-graph --keep failures'
# goes on where the last run with this seed ended; --tally FILE counts the cases elsewhere than beside the kernels
FUZZ_OPTIONS ?= --cases 10000000
export READS_1 READS_2 REFERENCE

# make test-gpu CUDA=cuda12, or GPU_PYTHON=python3 to use an environment that has all that is needed
CUDA ?= cuda13
GPU_PYTHON ?=
ON_GPU = $(or $(GPU_PYTHON),$(IN_VENV))
# One test process per core; they share the kernels that tests/warm_up.py compiles before they start.
IN_PARALLEL := -n auto --maxprocesses 8 --dist worksteal
# What make test leaves out: the markers are told in pyproject.toml.
QUICK := --hypothesis-profile=quick -m 'not (gpu or slow or browser or process or simulator)'

# make wheel TARGETS='x86-64-v3 sm_90': what kernels are compiled for; default: all that can be compiled here
TARGETS ?=

.PHONY: help demo test test-all check-cuda fuzz test-gpu golden lint docs kernels wheel release bench bench-contigs bench-repeats bench-gpu clean
.DELETE_ON_ERROR:

help:
	@echo 'make demo    install into .venv and assemble the reads in data/'
	@echo 'make test    run the tests that take little time, with few examples of each property (4 minutes on 2 cores)'
	@echo 'make test-all  run all tests, with all examples, in the simulator of kernels too;'
	@echo '             pytest -m slow --hypothesis-profile=quick chooses by marker and number of examples'
	@echo 'make fuzz    read mutated files with all parsers and commands and count them; FUZZ_OPTIONS="--seconds 600"'
	@echo 'make test-gpu, make bench-gpu  test and measure on an NVIDIA GPU'
	@echo 'make check-cuda  compile the CUDA kernels of tests for sm_90, without a GPU, after a run in the simulator'
	@echo 'make golden  store the outputs that tests compare with'
	@echo 'make lint    check style, types, layers, sizes and words'
	@echo 'make docs    write the reference pages and build the documentation into site/'
	@echo 'make kernels  list anew which kernels commands use, in debruijn_gpu/backends/core/kernels.tsv'
	@echo 'make wheel   build a wheel with compiled kernels, and check it, in dist/; TARGETS= names processors and GPUs,'
	@echo '             as x86-64-v3 and sm_90; default: all for which kernels can be compiled here'
	@echo 'make release  the same, and a source distribution'
	@echo 'make bench   measure time and memory, beside other programs where they are installed;'
	@echo '             READS_1=, READS_2= and REFERENCE= name a data set of your own'
	@echo 'make bench-contigs  compare the contigs with those of MEGAHIT and SPAdes; make bench with REFERENCE= does it too'
	@echo 'make bench-repeats  judge contigs of generated genomes against their known repeats; REPEAT_OPTIONS= names more'
	@echo 'make clean   remove .venv, caches and what demo and bench wrote'
	@echo 'PYTHON=python3.12 chooses the interpreter.'

demo: .venv/installed
	.venv/bin/dbg assemble -1 data/phix174_R1.fastq.gz -2 data/phix174_R2.fastq.gz -o demo --force
	@echo
	.venv/bin/dbg stats demo/contigs.fasta
	@echo
	@echo 'The genome of phiX174 is one circle of 5386 bases, and so should be the contig. All files are in demo/:'
	@ls -1 demo

# Compiled tests are kept, whatever the environment says: each process would compile them again.
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: .venv/installed-test
	$(IN_VENV) -m pytest $(IN_PARALLEL) $(QUICK)

test-all: .venv/installed-test
	$(IN_VENV) -m pytest $(IN_PARALLEL)
	NUMBA_ENABLE_CUDASIM=1 $(IN_VENV) -m pytest $(IN_PARALLEL) -m simulator

check-cuda: .venv/installed-test .venv/installed-$(CUDA)
	$(IN_VENV) -m tests.kernels.check_cuda

fuzz: .venv/installed-test
	$(IN_VENV) -m tests.fuzz $(FUZZ_OPTIONS)

test-gpu: $(if $(GPU_PYTHON),,.venv/installed-test .venv/installed-$(CUDA))
	$(ON_GPU) -m pytest -m gpu
	$(ON_GPU) -m pytest -m 'cuda and not gpu' -k 'not cpu'

golden: .venv/installed-test
	DBG_GOLDEN=1 $(IN_VENV) -m pytest -m 'golden and not gpu'

lint: .venv/installed-lint
	$(IN_VENV) -m ruff check
	$(IN_VENV) -m ruff format --check
	$(IN_VENV) -m mypy
	.venv/bin/lint-imports --no-logo
	$(IN_VENV) -m tests.checks.sizes
	$(IN_VENV) -m tests.checks.words

docs: .venv/installed-docs
	$(IN_VENV) docs/generate_reference.py
	$(IN_VENV) -m mkdocs build --strict

kernels: .venv/installed-test
	$(IN_VENV) -m tests.kernels.record cpu

# Code for GPUs is compiled with CuPy and numba-cuda, on a machine without a GPU too.
FOR_GPUS = $(if $(filter sm_%,$(or $(TARGETS),sm_)),.venv/installed-$(CUDA))

wheel: .venv/installed-test $(FOR_GPUS)
	$(IN_VENV) -m tests.packaging.release wheel $(TARGETS)

release: .venv/installed-test $(FOR_GPUS)
	$(IN_VENV) -m tests.packaging.release all $(TARGETS)

bench: .venv/installed
	$(IN_VENV) tests/benchmarks/run.py $(BENCH_OPTIONS)
	$(IN_VENV) -m tests.benchmarks.startup
	$(IN_VENV) -m tests.benchmarks.starts $(STARTS_OPTIONS)
	$(if $(READS_1),$(IN_VENV) -m tests.benchmarks.levels assemble -1 $(READS_1) -2 $(READS_2))
	$(IN_VENV) -m tests.benchmarks.euler --backend cpu --threads 2 --repeats 3 --all
	$(IN_VENV) -m tests.benchmarks.sequences --backend cpu --threads 1
	$(IN_VENV) -m tests.benchmarks.sequences --backend cpu --threads 2 --repeats 1 --huge --only verify
	$(IN_VENV) -m tests.benchmarks.spectra --backend cpu --threads 2
	$(IN_VENV) -m tests.benchmarks.sequencing --backend cpu --threads 2
	$(IN_VENV) -m tests.benchmarks.maps
	$(IN_VENV) -m tests.benchmarks.pangenome --threads 2
	$(if $(REFERENCE),$(MAKE) bench-contigs)

bench-contigs: .venv/installed
	$(IN_VENV) -m tests.benchmarks.contigs $(CONTIG_OPTIONS)

bench-repeats: .venv/installed
	$(IN_VENV) -m tests.benchmarks.repeats $(REPEAT_OPTIONS)

bench-gpu: $(if $(GPU_PYTHON),,.venv/installed-$(CUDA))
	$(ON_GPU) tests/benchmarks/gpu.py $(BENCH_OPTIONS)
	$(ON_GPU) -m tests.benchmarks.startup --backend cuda --beside
	$(ON_GPU) -m tests.benchmarks.euler --all --huge $(BENCH_OPTIONS)
	$(ON_GPU) -m tests.benchmarks.reads
	$(ON_GPU) -m tests.benchmarks.sequences --backend cuda --huge
	$(ON_GPU) -m tests.benchmarks.spectra --backend cuda
	$(ON_GPU) -m tests.benchmarks.sequencing --backend cuda
	$(ON_GPU) -m tests.benchmarks.pangenome --backend cuda

clean:
	rm -rf .venv demo bench site build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	rm -rf .import_linter_cache .benchmarks
	find debruijn_gpu tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "dbg needs Python 3.10 or later: make PYTHON=python3.12 ...")'
	rm -rf .venv
	@$(PYTHON) -m venv .venv || { echo 'cannot make .venv: on Debian and Ubuntu, apt install python3-venv' >&2; rm -rf .venv; exit 1; }
	$(INSTALL) --editable .
	@$(IN_VENV) -m compileall -q debruijn_gpu
	@touch $@

.venv/installed-%: .venv/installed
	$(INSTALL) --editable '.[$*]'
	@touch $@
