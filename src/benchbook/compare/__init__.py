"""Your own question: two or more things compared, without an experiment's folder."""

import sys

from benchbook._callable import CallableLayer

sys.modules[__name__].__class__ = CallableLayer
