# ustap test: scripts that say in comments what must come out.
pkglibexec_PROGRAMS = ustap-test
ustap_test_CPPFLAGS = -I$(srcdir)/tester $(libstaprun_a_CPPFLAGS) -DBINDIR='"$(bindir)"'
ustap_test_CFLAGS = $(libstaprun_a_CFLAGS)
ustap_test_LDFLAGS = $(AM_LDFLAGS) -pthread
ustap_test_LDADD = libstaprun.a $(ZYDIS_LIBS)
ustap_test_SOURCES = \
	tester/commands.c \
	tester/directives.c \
	tester/judge.c \
	tester/main.c \
	tester/pattern.c \
	tester/suite.c \
	tester/test_run.c \
	tester/tester.h

check_PROGRAMS += testsuite/unit/test_outputs
testsuite_unit_test_outputs_SOURCES = testsuite/unit/test_outputs.c \
	testsuite/unit/staprun_check.h tester/pattern.c
testsuite_unit_test_outputs_CPPFLAGS = -I$(srcdir)/tester $(staprun_test_cppflags)
testsuite_unit_test_outputs_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_outputs_LDFLAGS = $(AM_LDFLAGS) -pthread
testsuite_unit_test_outputs_LDADD = libstaprun.a $(ZYDIS_LIBS)
