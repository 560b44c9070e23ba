"""What is shown of profiles: sentences, tables, the figure of stacks, and files for other tools."""
