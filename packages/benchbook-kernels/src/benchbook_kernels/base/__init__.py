"""What all else needs: files, processes, errors, builds of .NET programs, where things are."""
