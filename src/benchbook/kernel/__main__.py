"""`python -m benchbook.kernel LANGUAGE -f CONNECTION_FILE` starts a kernel, as kernel.json says."""

import os
import sys

# A notebook's directory must not shadow modules (as ipykernel_launcher does it).
if sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]


def main() -> None:
    """Start the kernel of the language that the first argument names; exit 2 if there is none."""
    from ipykernel.kernelapp import IPKernelApp

    from benchbook.kernel.kernel import KERNELS

    language = sys.argv[1] if len(sys.argv) > 1 else ""
    if language not in KERNELS:
        known = " or ".join(KERNELS)
        sys.exit(_usage(f"benchbook.kernel: expected {known}, not {language!r}"))
    IPKernelApp.launch_instance(kernel_class=KERNELS[language], argv=sys.argv[2:])


def _usage(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
