"""What programs are given that are compared: a revision, versions of packages and runtimes, an
environment."""
