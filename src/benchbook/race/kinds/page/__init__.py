"""A web page that is open in a browser, whose clients measure."""
