"""What the tests share: one seeded generator per test, and reproducible property tests."""

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("teeny", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("teeny")


@pytest.fixture
def rng():
    return np.random.default_rng(20240229)
