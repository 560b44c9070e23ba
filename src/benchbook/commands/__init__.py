"""The command line: one file a command, one folder a group of them."""
