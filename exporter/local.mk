# ustap-export, which staprun starts: serves the metrics of a run, writes them to a file, or posts
# OTLP.
pkglibexec_PROGRAMS += ustap-export
ustap_export_CPPFLAGS = -I$(srcdir)/exporter $(libstaprun_a_CPPFLAGS)
ustap_export_CFLAGS = $(libstaprun_a_CFLAGS) $(MICROHTTPD_CFLAGS) $(OTLP_CFLAGS)
ustap_export_LDFLAGS = $(AM_LDFLAGS)
ustap_export_LDADD = libstaprun.a $(MICROHTTPD_LIBS) $(OTLP_LIBS)
ustap_export_SOURCES = \
	exporter/export.h \
	exporter/http.c \
	exporter/main.c \
	exporter/post.c \
	exporter/request.c \
	exporter/request.h \
	exporter/textfile.c \
	runtime/include/wire_export.h
