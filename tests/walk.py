"""The commands there are, found where they are declared."""


import click


def commands(group, words=()):
    """(words, command) of every command there is, and of every command in one."""
    for name in group.list_commands(None):
        found = group.get_command(None, name)
        yield (*words, name), found
        if isinstance(found, click.Group):
            yield from commands(found, (*words, name))
