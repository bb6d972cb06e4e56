# The loader.  It runs on machines without compiler: no library but libc and Zydis (for
# the user runtime), no header of the runtime but wire.h.  All but main() is a library, so that unit
# tests link it too.
noinst_LIBRARIES += libstaprun.a
libstaprun_a_CPPFLAGS = -I$(srcdir)/runtime/include -I$(srcdir)/runtime/staprun \
	-DSTAPRUN_VERSION='"$(VERSION)"' -DPKGLIBEXECDIR='"$(pkglibexecdir)"'
libstaprun_a_CFLAGS = $(AM_CFLAGS) -pthread
libstaprun_a_SOURCES = \
	$(option_tables) \
	runtime/common/elfid.c \
	runtime/include/answers.h \
	runtime/include/bisect.h \
	runtime/include/createfile.h \
	runtime/include/standard_output.h \
	runtime/include/elfid.h \
	runtime/staprun/answers.c \
	runtime/staprun/base/background.c \
	runtime/staprun/base/clock.c \
	runtime/staprun/base/clock_source.c \
	runtime/staprun/base/clock_source.h \
	runtime/staprun/base/command_words.c \
	runtime/staprun/base/command_words.h \
	runtime/staprun/base/exit_status.h \
	runtime/staprun/base/json_text.c \
	runtime/staprun/base/json_text.h \
	runtime/staprun/base/memory_room.c \
	runtime/staprun/base/memory_room.h \
	runtime/staprun/base/message.c \
	runtime/staprun/base/unblocked.c \
	runtime/staprun/base/unblocked.h \
	runtime/staprun/base/message.h \
	runtime/staprun/base/page.h \
	runtime/staprun/base/privilege.c \
	runtime/staprun/base/privilege.h \
	runtime/staprun/base/proc_stat.c \
	runtime/staprun/base/proc_stat.h \
	runtime/staprun/base/script_file.c \
	runtime/staprun/base/signal.c \
	runtime/staprun/base/signal.h \
	runtime/staprun/base/target_namespaces.c \
	runtime/staprun/base/target_namespaces.h \
	runtime/staprun/base/time_namespace.c \
	runtime/staprun/base/time_namespace.h \
	runtime/staprun/createfile.c \
	runtime/staprun/inject/user_runtime.h \
	runtime/staprun/module/lockdown.c \
	runtime/staprun/module/kernel_module.h \
	runtime/staprun/module/module_file.c \
	runtime/staprun/module/module_load.c \
	runtime/staprun/options.c \
	runtime/staprun/options.h \
	runtime/staprun/output/counts.c \
	runtime/staprun/output/frame_names.c \
	runtime/staprun/output/frames.c \
	runtime/staprun/output/frames.h \
	runtime/staprun/output/globals_file.c \
	runtime/staprun/output/hits.c \
	runtime/staprun/output/hits.h \
	runtime/staprun/output/merge.c \
	runtime/staprun/output/metrics.c \
	runtime/staprun/output/metrics.h \
	runtime/staprun/output/name_reader.c \
	runtime/staprun/output/html_page.c \
	runtime/staprun/output/otlp_values.c \
	runtime/staprun/output/otlp_values.h \
	runtime/staprun/output/out_folded.c \
	runtime/staprun/output/out_html.c \
	runtime/staprun/output/out_json.c \
	runtime/staprun/output/out_otlp.c \
	runtime/staprun/output/out_prometheus.c \
	runtime/staprun/output/out_trace.c \
	runtime/staprun/output/output.c \
	runtime/staprun/output/output_file.c \
	runtime/staprun/output/output.h \
	runtime/staprun/output/output_format.c \
	runtime/staprun/output/output_format.h \
	runtime/staprun/output/parts.c \
	runtime/staprun/output/reader.c \
	runtime/staprun/output/ring.c \
	runtime/staprun/output/stacks.c \
	runtime/staprun/output/stacks.h \
	runtime/staprun/output/stream.h \
	runtime/staprun/output/spans.c \
	runtime/staprun/output/spans.h \
	runtime/staprun/output/string_ids.c \
	runtime/staprun/output/string_ids.h \
	runtime/staprun/process_title.c \
	runtime/staprun/process_title.h \
	runtime/staprun/report/death.c \
	runtime/staprun/report/monitor.c \
	runtime/staprun/report/monitor_screen.c \
	runtime/staprun/report/monitor.h \
	runtime/staprun/report/report.h \
	runtime/staprun/report/test_points.c \
	runtime/staprun/report/test_points.h \
	runtime/staprun/report/test_report.c \
	runtime/staprun/report/untraced_report.c \
	runtime/staprun/session/child.c \
	runtime/staprun/session/exporter.c \
	runtime/staprun/session/choose.c \
	runtime/staprun/session/kallsyms.c \
	runtime/staprun/session/merge_files.c \
	runtime/staprun/session/module_params.c \
	runtime/staprun/session/input.c \
	runtime/staprun/session/order.c \
	runtime/staprun/session/policy.c \
	runtime/staprun/session/policy.h \
	runtime/staprun/session/ready.c \
	runtime/staprun/session/reload.c \
	runtime/staprun/session/reload.h \
	runtime/staprun/session/report.c \
	runtime/staprun/session/run.h \
	runtime/staprun/session/run_loop.c \
	runtime/staprun/session/session_ops.h \
	runtime/staprun/session/session_kernel.c \
	runtime/staprun/session/session_ops.c \
	runtime/staprun/session/session_user.c \
	runtime/staprun/session/start.c \
	runtime/staprun/session/target_process.c \
	runtime/staprun/session/watchdog.c

# The page of --output=html, which staprun contains: the page's own files, and the libraries of
# third_party/.
html_page_files = \
	runtime/staprun/page/page.html \
	runtime/staprun/page/page.css \
	runtime/staprun/page/data.js \
	runtime/staprun/page/flame.js \
	runtime/staprun/page/charts.js \
	runtime/staprun/page/tables.js \
	runtime/staprun/page/main.js
html_libraries = \
	third_party/d3/d3.min.js \
	third_party/d3/LICENSE \
	third_party/d3-flame-graph/d3-flamegraph.umd.min.js \
	third_party/d3-flame-graph/LICENSE \
	third_party/uplot/uPlot.iife.min.js \
	third_party/uplot/uPlot.min.css \
	third_party/uplot/LICENSE
EXTRA_DIST += $(html_page_files) scripts/html-page third_party
if HTML_PAGES
CLEANFILES += html_page.html
html_page.html: $(html_page_files) $(html_libraries) scripts/html-page
	$(AM_V_GEN)$(SHELL) $(srcdir)/scripts/html-page $(srcdir) > $@.new && mv $@.new $@
runtime/staprun/output/libstaprun_a-html_page.$(OBJEXT): html_page.html
libstaprun_a_CPPFLAGS += -DHTML_PAGES
endif

bin_PROGRAMS += staprun
staprun_CPPFLAGS = $(libstaprun_a_CPPFLAGS)
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
	testsuite/unit/test_staprun_ring \
	testsuite/unit/test_staprun_otlp \
	testsuite/unit/test_staprun_stacks
testsuite_unit_test_staprun_blob_SOURCES = testsuite/unit/test_staprun_blob.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_blob_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_blob_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_blob_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_command_SOURCES = testsuite/unit/test_staprun_command.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_command_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_command_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_command_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_policy_SOURCES = testsuite/unit/test_staprun_policy.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_policy_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_policy_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_policy_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_image_SOURCES = testsuite/unit/test_staprun_image.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_image_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_image_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_image_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_merge_SOURCES = testsuite/unit/test_staprun_merge.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_merge_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_merge_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_merge_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_otlp_SOURCES = testsuite/unit/test_staprun_otlp.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_otlp_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_otlp_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_otlp_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_stacks_SOURCES = testsuite/unit/test_staprun_stacks.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_stacks_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_stacks_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_stacks_LDADD = libstaprun.a $(ZYDIS_LIBS)
testsuite_unit_test_staprun_ring_SOURCES = testsuite/unit/test_staprun_ring.c \
	testsuite/unit/staprun_check.h
testsuite_unit_test_staprun_ring_CPPFLAGS = $(staprun_test_cppflags)
testsuite_unit_test_staprun_ring_CFLAGS = $(libstaprun_a_CFLAGS)
testsuite_unit_test_staprun_ring_LDADD = libstaprun.a $(ZYDIS_LIBS)
staprun_test_cppflags = $(libstaprun_a_CPPFLAGS) -I$(srcdir)/runtime/staprun
