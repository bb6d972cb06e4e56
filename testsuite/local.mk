# DejaGnu; see testsuite/README.md.
EXTRA_DIST += testsuite/README.md

# A unit test is a program that prints `ok NAME' or `not ok NAME: why' for each
# of its checks and exits 0 if all held.  Programs in check_PROGRAMS are run:
#   check_PROGRAMS += testsuite/unit/maps
#   testsuite_unit_maps_SOURCES = testsuite/unit/maps.c
#   testsuite_unit_maps_CPPFLAGS = -I$(srcdir)/translator
#   testsuite_unit_maps_LDADD = libustap.a $(ELFUTILS_LIBS)
