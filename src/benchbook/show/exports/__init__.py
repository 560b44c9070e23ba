"""What was compared, as files that other tools read: a file of this folder is a format."""
