"""The load generators, one file each: a module that declares `TOOL`, an object of a LoadTool."""
