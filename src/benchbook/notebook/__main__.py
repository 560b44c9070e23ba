"""`python -m benchbook.notebook`, as kernelspecs of earlier versions say: the kernel has moved."""

from benchbook_kernels.__main__ import main

if __name__ == "__main__":
    main()
