"""Shift registers of de Bruijn sequences as a module in Verilog (IEEE 1364-2001)."""

from __future__ import annotations

from debruijn_gpu.sequences.hardware import RegisterForm, heading


def export_verilog(registers: list[RegisterForm], n_symbols: int, order: int) -> str:
    """Write a module that puts out a symbol at each clock at which it is enabled, from the window of zeros on."""
    width = (n_symbols - 1).bit_length()
    lines = [f"// {line}" for line in heading(registers, n_symbols, order)]
    lines += [
        "module debruijn (",
        "  input wire clk,",
        "  input wire reset,  // synchronous: begins with the window of zeros",
        "  input wire enable,",
        f"  output wire {_range(width)}symbol",
        ");",
    ]
    for number, form in enumerate(registers, 1):
        lines += _register(f"r{number}", form)
    lines.append(f"  assign symbol = {_combined(registers, n_symbols)};")
    states = [f"r{number}" for number in range(1, len(registers) + 1)]
    lines += ["  always @(posedge clk)", "    if (reset) begin"]
    lines += [f"      {name} <= 0;" for name in states]
    lines += ["    end else if (enable) begin"]
    lines += [f"      {name} <= {_shifted(name, form)};" for name, form in zip(states, registers, strict=True)]
    return "\n".join([*lines, "    end", "endmodule"]) + "\n"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _digit_width(form: RegisterForm) -> int:
    return (form.base.p - 1).bit_length()


def _n_bits(form: RegisterForm) -> int:
    return form.order * form.base.m * _digit_width(form)


def _slice(name: str, low: int, high: int, n_bits: int) -> str:
    """Bits low to high - 1 of a vector."""
    if n_bits == 1:
        return name
    return f"{name}[{low}]" if high - low == 1 else f"{name}[{high - 1}:{low}]"


def _digit(name: str, form: RegisterForm, place: int, digit: int) -> str:
    """A digit of a symbol of the window."""
    width = _digit_width(form)
    low = (place * form.base.m + digit) * width
    return _slice(name, low, low + width, _n_bits(form))


def _sum(terms: list[tuple[int, str]], modulus: int, largest: int) -> str:
    """A sum of factors times values modulo a number, wide enough for all of it."""
    width = max(modulus, sum(factor * largest for factor, _ in terms)).bit_length()
    parts = " + ".join(f"{width}'d{factor} * {value}" for factor, value in terms)
    return f"({parts}) % {width}'d{modulus}"


def _register(name: str, form: RegisterForm) -> list[str]:
    """The state of a register, its first symbol and its feedback."""
    p, m, n_bits, width = form.base.p, form.base.m, _n_bits(form), _digit_width(form)
    n_symbol_bits = m * width
    lines = [f"  reg {_range(n_bits)}{name};  // the first symbol in the lowest bits"]
    rest = f"{_slice(name, n_symbol_bits, n_bits, n_bits)} == 0" if form.order > 1 else "1'b1"
    lines.append(f"  wire {name}_zeros = {rest};  // all symbols but the first")
    for t, terms in enumerate(form.terms):
        values = [(term.factor, _digit(name, form, term.place, term.digit)) for term in terms]
        if p == 2:
            linear = " ^ ".join(value for _, value in values)
        else:
            linear = _sum(values, p, p - 1)
        if form.base.q == 2:
            lines.append(f"  wire {name}_next0 = {linear} ^ {name}_zeros;")
            continue
        first, last = form.digits(1)[t], form.digits(form.last)
        is_zero = f"{_slice(name, 0, n_symbol_bits, n_bits)} == 0"
        is_last = " && ".join(f"{_digit(name, form, 0, u)} == {digit}" for u, digit in enumerate(last))
        lines.append(f"  wire {_range(width)}{name}_linear{t} = {linear};")
        lines.append(
            f"  wire {_range(width)}{name}_next{t} = ({name}_zeros && {is_zero}) ? {first} : "
            f"({name}_zeros && {is_last}) ? 0 : {name}_linear{t};"
        )
    return lines


def _combined(registers: list[RegisterForm], n_symbols: int) -> str:
    """The symbol of the alphabet, from the first symbols of all registers."""
    if len(registers) == 1 and (registers[0].base.p == 2 or registers[0].base.m == 1):
        form = registers[0]
        return _slice("r1", 0, form.base.m * _digit_width(form), _n_bits(form))
    terms = [
        (form.weight * form.base.p**t % n_symbols, _digit(f"r{number}", form, 0, t))
        for number, form in enumerate(registers, 1)
        for t in range(form.base.m)
    ]
    return _sum(terms, n_symbols, max(form.base.p for form in registers) - 1)


def _shifted(name: str, form: RegisterForm) -> str:
    """The next state: all symbols one place on, and the feedback."""
    n_bits, n_symbol_bits = _n_bits(form), form.base.m * _digit_width(form)
    parts = [f"{name}_next{t}" for t in reversed(range(form.base.m))]
    if form.order > 1:
        parts.append(_slice(name, n_symbol_bits, n_bits, n_bits))
    return f"{{{', '.join(parts)}}}"
