# SDT markers for programs: the header sys/sdt.h and the program dtrace. Both are installed with
# --enable-sdt, since systemtap-sdt-dev has files of the same names.
if SDT
bin_PROGRAMS += dtrace
sdtincludedir = $(includedir)/sys
sdtinclude_HEADERS = sdt/sys/sdt.h
dist_man_MANS += sdt/dtrace.1
else
noinst_PROGRAMS += dtrace
EXTRA_DIST += sdt/sys/sdt.h sdt/dtrace.1
endif
dtrace_CPPFLAGS = -I$(srcdir)/sdt -I$(srcdir)/translator
dtrace_LDADD = libustap.a $(ELFUTILS_LIBS)
dtrace_SOURCES = sdt/dtrace.c sdt/provider.c sdt/provider.h
