# Everything runs in .venv, which is made anew when pyproject.toml changes. Needs Python 3.10 and PyPI.

PYTHON ?= python3
IN_VENV := .venv/bin/python
INSTALL := $(IN_VENV) -m pip install --quiet --disable-pip-version-check

# make bench READS_1=R1.fastq.gz READS_2=R2.fastq.gz REFERENCE=genome.fasta BENCH_OPTIONS='--threads 4'
READS_1 ?=
READS_2 ?=
REFERENCE ?=
BENCH_OPTIONS ?=
export READS_1 READS_2 REFERENCE

# make test-gpu CUDA=cuda12, or GPU_PYTHON=python3 to use an environment that has all that is needed
CUDA ?= cuda13
GPU_PYTHON ?=
ON_GPU = $(or $(GPU_PYTHON),$(IN_VENV))
# A test process for each core; more than a few would compile the same kernels at the same time.
IN_PARALLEL := -n auto --maxprocesses 8 --dist worksteal
CUDA_TESTS := tests/backends/cuda tests/drawing/test_backends.py tests/graph/test_analysis.py \
    $(addprefix tests/spectra/, \
        test_leaderboard.py \
        test_theoretical.py) \
    $(addprefix tests/backends/, \
        test_arrays.py \
        test_check.py \
        test_circuits.py \
        test_cleaning.py \
        test_components.py \
        test_generators.py \
        test_kmers.py \
        test_lists.py \
        test_look_and_say.py \
        test_necklaces.py \
        test_parsing.py \
        test_registers.py \
        test_spectra.py \
        test_spectrum_scoring.py \
        test_symbols.py \
        test_trails.py \
        test_unitigs.py \
        test_windows.py \
        test_words.py) \
    $(addprefix tests/sequences/, \
        test_euler.py \
        test_universal.py \
        test_verify.py) \
    $(addprefix tests/walks/, \
        test_covering.py \
        test_euler.py \
        test_mirrored.py \
        test_trails.py \
        test_unitigs.py)

.PHONY: help demo test test-gpu golden lint bench bench-gpu clean
.DELETE_ON_ERROR:

help:
	@echo 'make demo    install into .venv and assemble the reads in data/'
	@echo 'make test    run the tests'
	@echo 'make test-gpu, make bench-gpu  test and measure on an NVIDIA GPU'
	@echo 'make golden  store the outputs that tests compare with'
	@echo 'make lint    check style, types and layers'
	@echo 'make bench   measure time and memory, beside other programs where they are installed;'
	@echo '             READS_1=, READS_2= and REFERENCE= name a data set of your own'
	@echo 'make clean   remove .venv, caches and what demo and bench wrote'
	@echo 'PYTHON=python3.12 chooses the interpreter.'

demo: .venv/installed
	.venv/bin/dbg assemble -1 data/phix174_R1.fastq.gz -2 data/phix174_R2.fastq.gz -o demo --force
	@echo
	.venv/bin/dbg stats demo/contigs.fasta
	@echo
	@echo 'The genome of phiX174 is one circle of 5386 bases, and so should be the contig. All files are in demo/:'
	@ls -1 demo

test: .venv/installed-test
	$(IN_VENV) -m pytest $(IN_PARALLEL)
	NUMBA_ENABLE_CUDASIM=1 $(IN_VENV) -m pytest $(IN_PARALLEL) $(CUDA_TESTS)

test-gpu: $(if $(GPU_PYTHON),,.venv/installed-test .venv/installed-$(CUDA))
	$(ON_GPU) -m pytest -m gpu tests/gpu
	$(ON_GPU) -m pytest $(CUDA_TESTS) tests/primitives -k 'not cpu'

golden: .venv/installed-test
	DBG_GOLDEN=1 $(IN_VENV) -m pytest tests/cli/test_forty_commands.py

lint: .venv/installed-lint
	$(IN_VENV) -m ruff check
	$(IN_VENV) -m ruff format --check
	$(IN_VENV) -m mypy
	.venv/bin/lint-imports --no-logo

bench: .venv/installed
	$(IN_VENV) tests/benchmarks/run.py $(BENCH_OPTIONS)
	$(IN_VENV) -m tests.benchmarks.startup
	$(IN_VENV) -m tests.benchmarks.euler --backend cpu --threads 2 --repeats 3 --all
	$(IN_VENV) -m tests.benchmarks.sequences --backend cpu --threads 1
	$(IN_VENV) -m tests.benchmarks.sequences --backend cpu --threads 2 --repeats 1 --huge --only verify
	$(IN_VENV) -m tests.benchmarks.spectra --backend cpu --threads 2
	$(IN_VENV) -m tests.benchmarks.sequencing --backend cpu --threads 2

bench-gpu: $(if $(GPU_PYTHON),,.venv/installed-$(CUDA))
	$(ON_GPU) tests/benchmarks/gpu.py $(BENCH_OPTIONS)
	$(ON_GPU) -m tests.benchmarks.startup --backend cuda --beside
	$(ON_GPU) -m tests.benchmarks.euler --all --huge $(BENCH_OPTIONS)
	$(ON_GPU) -m tests.benchmarks.reads
	$(ON_GPU) -m tests.benchmarks.sequences --backend cuda --huge
	$(ON_GPU) -m tests.benchmarks.spectra --backend cuda
	$(ON_GPU) -m tests.benchmarks.sequencing --backend cuda

clean:
	rm -rf .venv demo bench build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	rm -rf .import_linter_cache .benchmarks
	find debruijn_gpu tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "dbg needs Python 3.10 or later: make PYTHON=python3.12 ...")'
	rm -rf .venv
	@$(PYTHON) -m venv .venv || { echo 'cannot make .venv: on Debian and Ubuntu, apt install python3-venv' >&2; rm -rf .venv; exit 1; }
	$(INSTALL) --editable .
	@touch $@

.venv/installed-%: .venv/installed
	$(INSTALL) --editable '.[$*]'
	@touch $@
