# The loader.  It runs on machines without compiler: no library but libc and Zydis (for
# the user runtime), no header of the runtime but wire.h.  All but main() is a library, so that unit
# tests link it too.
noinst_LIBRARIES += libstaprun.a
libstaprun_a_CPPFLAGS = -I$(srcdir)/runtime/include -I$(srcdir)/runtime/staprun
libstaprun_a_CFLAGS = $(AM_CFLAGS) -pthread
libstaprun_a_SOURCES = \
	runtime/common/elfid.c \
	runtime/include/createfile.h \
	runtime/include/elfid.h \
	runtime/staprun/background.c \
	runtime/staprun/command.c \
	runtime/staprun/counts.c \
	runtime/staprun/createfile.c \
	runtime/staprun/death.c \
	runtime/staprun/format.c \
	runtime/staprun/format.h \
	runtime/staprun/given.c \
	runtime/staprun/hits.c \
	runtime/staprun/image.c \
	runtime/staprun/json.c \
	runtime/staprun/load.c \
	runtime/staprun/merge.c \
	runtime/staprun/message.c \
	runtime/staprun/monitor.c \
	runtime/staprun/name_reader.c \
	runtime/staprun/names.c \
	runtime/staprun/options.c \
	runtime/staprun/order.c \
	runtime/staprun/out_folded.c \
	runtime/staprun/out_json.c \
	runtime/staprun/out_trace.c \
	runtime/staprun/output.c \
	runtime/staprun/parts.c \
	runtime/staprun/points.c \
	runtime/staprun/points.h \
	runtime/staprun/policy.c \
	runtime/staprun/privilege.c \
	runtime/staprun/reader.c \
	runtime/staprun/ready.c \
	runtime/staprun/report.c \
	runtime/staprun/ring.c \
	runtime/staprun/run.c \
	runtime/staprun/script_file.c \
	runtime/staprun/session.c \
	runtime/staprun/session_kernel.c \
	runtime/staprun/session_user.c \
	runtime/staprun/signal.c \
	runtime/staprun/staprun.h \
	runtime/staprun/start.c \
	runtime/staprun/summary.c \
	runtime/staprun/symbols.c \
	runtime/staprun/target.c \
	runtime/staprun/title.c \
	runtime/staprun/untraced.c \
	runtime/staprun/watchdog.c \
	runtime/staprun/words.c

bin_PROGRAMS += staprun
staprun_CPPFLAGS = $(libstaprun_a_CPPFLAGS) -DSTAPRUN_VERSION='"$(VERSION)"'
staprun_CFLAGS = $(libstaprun_a_CFLAGS)
staprun_LDFLAGS = $(AM_LDFLAGS) -pthread
staprun_SOURCES = runtime/staprun/main.c
staprun_LDADD = libstaprun.a $(ZYDIS_LIBS)

check_PROGRAMS += \
	testsuite/unit/test_staprun_blob \
	testsuite/unit/test_staprun_command \
	testsuite/unit/test_staprun_image \
	testsuite/unit/test_staprun_policy \
	testsuite/unit/test_staprun_merge \
	testsuite/unit/test_staprun_ring
testsuite_unit_test_staprun_blob_SOURCES = testsuite/unit/test_staprun_blob.c testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_blob_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_blob_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_blob_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_command_SOURCES = testsuite/unit/test_staprun_command.c testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_command_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_command_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_command_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_policy_SOURCES = testsuite/unit/test_staprun_policy.c testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_policy_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_policy_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_policy_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_image_SOURCES = testsuite/unit/test_staprun_image.c testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_image_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_image_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_image_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_merge_SOURCES = testsuite/unit/test_staprun_merge.c testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_merge_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_merge_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_merge_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_ring_SOURCES = testsuite/unit/test_staprun_ring.c testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_ring_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_ring_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_ring_LDADD = libstaprun.a $(ZYDIS_LIBS)
staprun_test_cppflags = $(libstaprun_a_CPPFLAGS) -I$(srcdir)/runtime/staprun

dist_man_MANS += doc/staprun.8
