"""Shift registers of de Bruijn sequences as C (C99), with a program that writes the sequence."""

from __future__ import annotations

from debruijn_gpu.sequences.hardware import RegisterForm, heading
from debruijn_gpu.sequences.symbols import Symbols

_MAIN = """
#ifndef DEBRUIJN_NO_MAIN
#include <stdio.h>

{names}int main(void) {{
  debruijn d;
  int first = 1;
  debruijn_reset(&d);
  do {{
    if (!first) fputs("{separator}", stdout);
    first = 0;
    {put}
  }} while (!debruijn_is_start(&d));
  putchar('\\n');
  return ferror(stdout) || fflush(stdout) ? 1 : 0;
}}
#endif
"""


def export_c(registers: list[RegisterForm], symbols: Symbols, order: int) -> str:
    """Write a generator, ``debruijn_next``, and a program that writes the sequence in the symbols of an alphabet.

    ``-DDEBRUIJN_NO_MAIN`` leaves the program out.
    """
    lines = ["/*", *(f" * {line}" for line in heading(registers, len(symbols), order)), " */"]
    lines += ["#include <stdint.h>", "#include <string.h>", "", "typedef struct {"]
    lines += [
        f"  uint16_t r{number}[{form.order * form.base.m}]; /* digits to the base {form.base.p}, first symbol first */"
        for number, form in enumerate(registers, 1)
    ]
    lines += ["} debruijn;", "", "/* Begin with the window of zeros. */"]
    lines += ["static void debruijn_reset(debruijn *d) { memset(d, 0, sizeof *d); }", ""]
    lines += [
        "/* Whether the window of zeros is next. */",
        "static int debruijn_is_start(const debruijn *d) {",
        "  const unsigned char *bytes = (const unsigned char *)d;",
        "  size_t i;",
        "  for (i = 0; i < sizeof *d; i++)",
        "    if (bytes[i]) return 0;",
        "  return 1;",
        "}",
    ]
    for number, form in enumerate(registers, 1):
        lines += _step(number, form)
    lines += ["", f"/* Return the next symbol, 0 to {len(symbols) - 1}. */"]
    lines += ["static uint32_t debruijn_next(debruijn *d) {"]
    if len(registers) == 1:
        lines += ["  return step_1(d->r1);", "}"]
    else:
        terms = " + ".join(
            f"(uint64_t){form.weight} * step_{number}(d->r{number})" for number, form in enumerate(registers, 1)
        )
        lines += [f"  return (uint32_t)(({terms}) % {len(symbols)});", "}"]
    return "\n".join(lines) + "\n" + _main(symbols)


def _step(number: int, form: RegisterForm) -> list[str]:
    """A function that returns the first symbol of a register, and shifts it."""
    p, m, n = form.base.p, form.base.m, form.order
    lines = ["", f"static uint32_t step_{number}(uint16_t *s) {{"]
    symbol = " + ".join(f"{p**t}u * s[{t}]" if t else "s[0]" for t in range(m))
    lines += [f"  const uint32_t symbol = {symbol};", f"  uint16_t next[{m}];", "  int zeros = 1, i;"]
    for t, terms in enumerate(form.terms):
        total = " + ".join(f"(uint64_t){term.factor} * s[{term.place * m + term.digit}]" for term in terms)
        lines.append(f"  next[{t}] = (uint16_t)(({total}) % {p});")
    lines += [f"  for (i = {m}; i < {n * m}; i++)", "    if (s[i]) zeros = 0;"]
    lines += [f"  if (zeros && (symbol == 0 || symbol == {form.last}u)) {{"]
    lines += ["    memset(next, 0, sizeof next);", "    next[0] = symbol == 0;", "  }"]
    lines += [f"  memmove(s, s + {m}, {(n - 1) * m} * sizeof *s);", f"  memcpy(s + {(n - 1) * m}, next, sizeof next);"]
    return [*lines, "  return symbol;", "}"]


def _main(symbols: Symbols) -> str:
    """The program, with the names of symbols unless they are their numbers."""
    if symbols.names == tuple(str(i) for i in range(len(symbols))):
        put, names = 'printf("%lu", (unsigned long)debruijn_next(&d));', ""
    else:
        put = "fputs(names[debruijn_next(&d)], stdout);"
        listed = ", ".join(f'"{_escaped(name)}"' for name in symbols.names)
        names = f"static const char *const names[] = {{{listed}}};\n\n"
    return _MAIN.format(names=names, separator=symbols.separator, put=put)


def _escaped(name: str) -> str:
    """A name as the content of a string of C: bytes of UTF-8 beyond letters and digits in octal."""
    return "".join(
        chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"\\{byte:03o}" for byte in name.encode()
    )
