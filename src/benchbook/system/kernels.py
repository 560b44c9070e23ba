"""Jupyter kernels that we start, and where they listen."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchbook_kernels.base.processes import Keeper


@contextmanager
def private_address(manager: Any) -> Iterator[None]:
    """Have the kernel of a KernelManager listen on sockets in a folder of our own, not on ports.

    jupyter_client looks for free ports, and the kernel takes them a second later: beside a load of
    thousands of connections another program has one of them by then. On Windows, where ZeroMQ has
    no such sockets, it keeps its ports; so does .NET Interactive, whose NetMQ has none anywhere.
    """
    if os.name == "nt" or str(manager.kernel_name).startswith(".net-"):
        yield
        return
    with Keeper() as keeper:  # whose folder goes even where this process is killed
        manager.transport, manager.ip = "ipc", str(keeper.folder / "kernel")
        manager.connection_file = str(keeper.folder / "kernel.json")
        yield


@contextmanager
def started(name: str, seconds: float, **options: Any) -> Iterator[tuple[Any, Any]]:
    """(manager, blocking client) of a new kernel that is ready, ended at the end.

    options go to its process. Raises RuntimeError where it is not ready within some seconds.
    """
    from jupyter_client import manager

    Manager: Any = manager.KernelManager  # which has types in places only
    kernel = Manager(kernel_name=name)
    with private_address(kernel):
        try:
            kernel.start_kernel(**options)
            client = kernel.client()
            client.start_channels()
            try:
                client.wait_for_ready(timeout=seconds)
                yield kernel, client
            finally:
                client.stop_channels()
        finally:
            kernel.shutdown_kernel(now=True)
