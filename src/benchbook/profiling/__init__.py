"""Why one program is dearer than another: profiles under a race's own load, and what differs."""
