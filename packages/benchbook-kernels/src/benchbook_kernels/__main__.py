"""`python -m benchbook_kernels LANGUAGE -f FILE` starts a kernel, as kernel.json says."""

import os
import sys

# A notebook's directory must not shadow modules (as ipykernel_launcher does it).
if sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]


def main() -> None:
    """Start the kernel of the language that the first argument names; exit 2 if there is none."""
    from ipykernel.kernelapp import IPKernelApp

    from benchbook_kernels.install.languages import declared
    from benchbook_kernels.notebook.kernel import kernel_class

    language = sys.argv[1] if len(sys.argv) > 1 else ""
    if language not in declared():
        known = " or ".join(declared())
        print(f"benchbook_kernels: expected {known}, not {language!r}", file=sys.stderr)
        sys.exit(2)
    IPKernelApp.launch_instance(kernel_class=kernel_class(language), argv=sys.argv[2:])


if __name__ == "__main__":
    main()
