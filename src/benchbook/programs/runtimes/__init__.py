"""The runtimes of JavaScript, and what runners of programs that need no build have in common."""
