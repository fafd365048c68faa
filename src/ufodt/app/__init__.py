"""The product around the method: the command line, later the service and its page."""
