"""`#!` lines are tested in a C# notebook, where people use them."""

import pytest


@pytest.fixture
def kernel(csharp_kernel):
    return csharp_kernel
