"""Former names of the Python API."""

from __future__ import annotations

from dataclasses import replace

import pytest

from debruijn_gpu import CleanOptions


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("chimera_length", "connection_length"),
        ("chimera_ratio", "connection_ratio"),
        ("early_chimera_ratio", "early_connection_ratio"),
    ],
)
def test_former_fields_work_with_a_warning(old, new):
    message = f"{old}.* is now {new}"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        options = CleanOptions(**{old: 0.25})
    assert caught[0].filename == __file__
    assert options == CleanOptions(**{new: 0.25})
    with pytest.warns(DeprecationWarning, match=message) as caught:
        assert getattr(options, old) == 0.25
    assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=message):
        assert getattr(replace(options, **{old: 0.5}), new) == 0.5


def test_other_names_are_errors():
    with pytest.raises(TypeError, match="nonsense"):
        CleanOptions(nonsense=1)
    with pytest.raises(AttributeError, match="'CleanOptions' object has no attribute 'nonsense'"):
        CleanOptions().nonsense  # noqa: B018
