# ustap report and ustap replay: recordings of calls.
pkglibexec_PROGRAMS += ustap-report
ustap_report_CPPFLAGS = -I$(srcdir)/recorder $(libstaprun_a_CPPFLAGS)
ustap_report_CFLAGS = $(libstaprun_a_CFLAGS) $(BABELTRACE2_CFLAGS)
ustap_report_LDFLAGS = $(AM_LDFLAGS)
ustap_report_LDADD = libstaprun.a $(BABELTRACE2_LIBS)
ustap_report_SOURCES = \
	recorder/call_filter.c \
	recorder/call_table.c \
	recorder/calls.c \
	recorder/chrome.c \
	recorder/ctf.c \
	recorder/latency.c \
	recorder/main.c \
	recorder/recording.c \
	recorder/recording.h \
	recorder/replay.c \
	recorder/report.c \
	recorder/timeline.c
