# The loader.  It runs on machines without compiler: no library but libc, no
# header of the runtime but wire.h.
bin_PROGRAMS += staprun
staprun_CPPFLAGS = -I$(srcdir)/runtime/include
staprun_SOURCES =
