"""What vulture would call dead, though others call it: who that is stands above each group."""

# flake8: noqa
# click asks a group for its commands, and commands for their help.
_.list_commands
_.get_command
_.get_help
_.format_options

# IPython calls its magics and extensions by name, and asks objects how they are displayed.
_.explore
_.predict
_.engine
_.load_ipython_extension
_._repr_mimebundle_

# ipykernel asks a kernel what it is, how much detail is wanted and where input comes from.
implementation
implementation_version
shell_class
_.language_info
_.banner
_._allow_stdin
omit_sections

# Magics and exercises that lie outside of the package: snippets/*/exercises.py, tools/*.py.
_.language_session
_.in_part
_.unshortened
by_launch

# Cells of notebooks.
paired

# The class of a session is found by its language: open_sessions.py.
NodeSession

# hatchling calls a build's hook.
_.initialize

# jupyter_client asks a kernel's manager where its connection file is to be.
_.connection_file

# Jupyter servers ask an extension for these.
_jupyter_server_extension_points
_load_jupyter_server_extension

# jinja2 and nbconvert read their settings, and templates fields.
_.filters
_.enabled
behind

# Results are written whole: into run files, or onto a page.
half_width
voluntary_switches
involuntary_switches
sent
_.not_valid
round_trip_ms
clock_ahead_seconds
clock_error_seconds

# Older run files have it: the schema names it.
published_inside

# jupyter_client reads it.
_.transport

# click calls it.
_.type_cast_value

# Python asks a module for names that it has not, and for its class when it is called.
__getattr__
_.__class__

# Older notebooks call it.
_.witness

# Python programs call it.
_.to_frame

# %check finds them by their names.
exercise_1
exercise_2

# What else is counted of .NET (dotnet_counts.py).
collections
pool_threads
queued
contentions
completed

# tornado calls them.
_.set_default_headers
_.data_received
_.post
_.on_finish
