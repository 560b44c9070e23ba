"""What one request costs beside time: memory, system calls, bytes, packets, threads."""
