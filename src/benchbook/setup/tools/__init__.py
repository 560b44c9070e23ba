"""The programs that Benchbook calls, such as Node.js and load generators, and how to get them."""
