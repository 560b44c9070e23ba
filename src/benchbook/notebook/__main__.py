"""`python -m benchbook.notebook`, as kernelspecs of earlier versions say: the kernel has moved."""

import sys
from pathlib import Path

# those of a checkout name its folder src only, until ./bench has set it up again
sys.path.append(str(Path(__file__).parents[3] / "packages" / "benchbook-kernels" / "src"))

from benchbook_kernels.__main__ import main  # noqa: E402

if __name__ == "__main__":
    main()
