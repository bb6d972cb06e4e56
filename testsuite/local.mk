# DejaGnu; see testsuite/README.md.
EXTRA_DIST += \
	testsuite/README.md \
	testsuite/check \
	testsuite/config/default.exp \
	testsuite/lib/ustap.exp \
	testsuite/programs \
	testsuite/ustap.dumps \
	testsuite/ustap.errors \
	testsuite/ustap.lang \
	testsuite/ustap.process \
	testsuite/ustap.suite/all.exp \
	testsuite/vm

# A unit test is a program that prints `ok NAME' or `not ok NAME: why' for each
# of its checks and exits 0 if all held.  Programs in check_PROGRAMS are run:
#   check_PROGRAMS += testsuite/unit/maps
#   testsuite_unit_maps_SOURCES = testsuite/unit/maps.c
#   testsuite_unit_maps_CPPFLAGS = -I$(srcdir)/translator
#   testsuite_unit_maps_LDADD = libustap.a $(ELFUTILS_LIBS)

unit_cppflags = -I$(srcdir)/translator -DPROGRAMS='"$(abs_srcdir)/testsuite/programs"'
check_PROGRAMS += testsuite/unit/test_arch testsuite/unit/test_dwarf testsuite/unit/test_functions
check_PROGRAMS += testsuite/unit/test_util testsuite/unit/test_options testsuite/unit/fuzz_parse
testsuite_unit_test_arch_SOURCES = testsuite/unit/test_arch.c
testsuite_unit_test_arch_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_arch_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_dwarf_SOURCES = testsuite/unit/test_dwarf.c
testsuite_unit_test_dwarf_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_dwarf_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_functions_SOURCES = testsuite/unit/test_functions.c
testsuite_unit_test_functions_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_functions_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_util_SOURCES = testsuite/unit/test_util.c
testsuite_unit_test_util_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_util_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_test_options_SOURCES = testsuite/unit/test_options.c
testsuite_unit_test_options_CPPFLAGS = $(unit_cppflags)
testsuite_unit_test_options_LDADD = libustap.a $(ELFUTILS_LIBS)
testsuite_unit_fuzz_parse_SOURCES = testsuite/unit/fuzz_parse.c
testsuite_unit_fuzz_parse_CPPFLAGS = $(unit_cppflags)
testsuite_unit_fuzz_parse_LDADD = libustap.a $(ELFUTILS_LIBS)

.PHONY: check-kernels
run_check = UNIT_TESTS='$(check_PROGRAMS)' TESTS='$(TESTS)' UPDATE_DUMPS='$(UPDATE_DUMPS)' \
	$(SHELL) $(srcdir)/testsuite/check $(srcdir)

# TESTS=word runs some tests only; KERNELS="5.10 newest" chooses kernels.
check-local: check-includes $(bin_PROGRAMS) $(check_PROGRAMS)
	$(AM_V_at)KERNELS='$(KERNELS)' $(run_check)

check-kernels: $(bin_PROGRAMS) $(check_PROGRAMS)
	$(AM_V_at)KERNELS='5.10 6.1 6.12 6.18 newest' $(run_check)
