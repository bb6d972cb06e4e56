# The runtime inside the traced process: an archive that every script built for it is
# linked with.  It is freestanding and never instrumented.
