# ustap test: scripts that say in comments what must come out.
pkglibexec_PROGRAMS = ustap-test
ustap_test_CPPFLAGS = -I$(srcdir)/tester $(libstaprun_a_CPPFLAGS) -DBINDIR='"$(bindir)"'
ustap_test_CFLAGS = $(libstaprun_a_CFLAGS)
ustap_test_LDFLAGS = $(AM_LDFLAGS) -pthread
ustap_test_LDADD = libstaprun.a $(ZYDIS_LIBS)
ustap_test_SOURCES = \
	tester/directives.c \
	tester/judge.c \
	tester/main.c \
	tester/pattern.c \
	tester/run.c \
	tester/tester.h
