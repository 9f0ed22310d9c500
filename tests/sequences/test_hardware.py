"""Exports of shift registers: taps are followed in Python, Verilog interpreted, C compiled."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.export_c import export_c
from debruijn_gpu.sequences.export_verilog import export_verilog
from debruijn_gpu.sequences.fields import field
from debruijn_gpu.sequences.hardware import export_taps, register_forms
from debruijn_gpu.sequences.products import ProductSequence
from debruijn_gpu.sequences.symbols import parse_symbols
from tests.sequences.verilog import Module

SIZES = [(2, 1), (2, 2), (2, 3), (2, 8), (2, 12), (3, 1), (3, 4), (4, 1), (4, 3), (5, 2), (6, 2), (7, 2), (8, 2)]
SIZES += [(9, 1), (9, 3), (10, 3), (12, 2), (16, 2), (25, 2), (27, 2), (30, 2), (36, 2), (257, 1), (300, 1)]
TWO_WORDS = [(2, 64), (2, 67), (4, 40)]
C_COMPILER = shutil.which("cc") or shutil.which("gcc")


def expected(k, n, most=None):
    """The sequence of method crt, which is that of lfsr for powers of primes."""
    sequence = ProductSequence(k, n)
    stop = sequence.length if most is None else most
    return np.concatenate([CPU.to_host(block) for block in sequence.blocks(0, stop, CPU)]).tolist()


def follow_taps(text, n_steps):
    """The symbols that a table of taps describes, by arithmetic in fields."""
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    registers = {}
    for row in rows[1:]:
        number, q, n, tap, coefficient, last, weight = map(int, row)
        registers.setdefault(number, (q, n, last, weight, []))[4].append((tap, coefficient))
    states = {number: [0] * n for number, (_, n, *_) in registers.items()}
    k, found = int(np.prod([q for q, *_ in registers.values()])), []
    for _ in range(n_steps):
        found.append(sum(weight * states[number][0] for number, (_, _, _, weight, _) in registers.items()) % k)
        for number, (q, _, last, _, taps) in registers.items():
            base, state = field(q), states[number]
            symbol = 0
            for tap, coefficient in taps:
                symbol = int(base.sums(np.array(symbol), np.array(base.multiply(coefficient, state[tap]))))
            if not any(state[1:]) and state[0] in (0, last):
                symbol = int(state[0] == 0)
            states[number] = [*state[1:], symbol]
    return found


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_taps_describe_the_sequence(k, n):
    text = export_taps(register_forms(k, n))
    assert follow_taps(text, k**n) == expected(k, n)


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_verilog_puts_out_the_sequence(k, n):
    module = Module(export_verilog(register_forms(k, n), k, n))
    assert [module.clock() for _ in range(k**n)] == expected(k, n)
    assert not any(module.values.values()), "it begins again"


@pytest.mark.parametrize(("k", "n"), TWO_WORDS)
def test_long_registers(k, n):
    forms = register_forms(k, n)
    symbols = expected(k, n, 500)
    module = Module(export_verilog(forms, k, n))
    assert [module.clock() for _ in range(500)] == symbols
    assert follow_taps(export_taps(forms), 500) == symbols


@pytest.mark.process
@pytest.mark.skipif(C_COMPILER is None, reason="no C compiler (cc or gcc)")
@pytest.mark.parametrize(
    ("alphabet", "n"), [*((str(k), n) for k, n in SIZES[::2]), ("ACGT", 3), ('?"\\', 3), ("α,bc", 4)]
)
def test_compiled_c_writes_the_sequence(alphabet, n, tmp_path):
    symbols = parse_symbols(alphabet)
    source = tmp_path / "register.c"
    source.write_text(export_c(register_forms(len(symbols), n), symbols, n))
    program = tmp_path / "register"
    command = [C_COMPILER, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", source, "-o", program]
    subprocess.run(command, check=True)
    written = subprocess.run([program], capture_output=True, check=True).stdout.decode()
    assert written == symbols.spell(expected(len(symbols), n)) + "\n"


@pytest.mark.process
@pytest.mark.parametrize(("k", "n"), [(2, 5), (9, 2), (6, 2)])
def test_a_simulator_agrees_if_there_is_one(k, n, tmp_path):
    """The interpreter above runs anyway; Icarus Verilog is a second judge."""
    simulator = shutil.which("iverilog")
    text = export_verilog(register_forms(k, n), k, n)
    width = (k - 1).bit_length()
    bench = f"""
module bench;
  reg clk = 0, reset = 1, enable = 1;
  wire [{width - 1}:0] symbol;
  debruijn tested (.clk(clk), .reset(reset), .enable(enable), .symbol(symbol));
  integer i;
  initial begin
    #1 clk = 1; #1 clk = 0; reset = 0;
    for (i = 0; i < {k**n}; i = i + 1) begin $display("%0d", symbol); #1 clk = 1; #1 clk = 0; end
    $finish;
  end
endmodule
"""
    assert text.count("module debruijn") == 1
    if simulator is not None:
        (tmp_path / "bench.v").write_text(text + bench)
        subprocess.run([simulator, "-o", tmp_path / "bench", tmp_path / "bench.v"], check=True)
        run = subprocess.run(["vvp", tmp_path / "bench"], capture_output=True, text=True, check=True)
        assert list(map(int, run.stdout.split())) == expected(k, n)


def test_registers_that_do_not_exist():
    with pytest.raises(ParameterError, match="one symbol needs no register"):
        register_forms(1, 3)
    with pytest.raises(ParameterError):
        register_forms(2, 300)
