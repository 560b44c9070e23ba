"""A class's results over its own network: received and kept, on a page that grows, and sent."""
