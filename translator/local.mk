# The translator: everything but main() is a library, so that unit tests link it too.
noinst_LIBRARIES += libustap.a
libustap_a_CPPFLAGS = -I$(srcdir)/translator -Itranslator -I$(srcdir)/runtime/include \
	-DPKGDATADIR='"$(pkgdatadir)"' -DPKGLIBEXECDIR='"$(pkglibexecdir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DBINDIR='"$(bindir)"'
libustap_a_CFLAGS = $(AM_CFLAGS) $(ELFUTILS_CFLAGS) $(NETTLE_CFLAGS) $(LIBBPF_CFLAGS)
libustap_a_SOURCES = \
	translator/alias.c \
	translator/artifact.h \
	translator/backend/backend.h \
	translator/backend/common.c \
	translator/backend/headers.c \
	translator/backend/kbuild.c \
	translator/backend/sign.c \
	translator/backend/kernel.c \
	translator/backend/kernel.h \
	translator/backend/stack.c \
	translator/backend/user.c \
	translator/build.c \
	translator/builtin.c \
	translator/builtin.h \
	translator/builtin_check.c \
	translator/cache.c \
	translator/cache_size.c \
	translator/command.c \
	translator/condition.c \
	translator/conflict.c \
	translator/ctext.c \
	translator/ctext.h \
	translator/diag.c \
	translator/digest.c \
	runtime/common/elfid.c \
	runtime/staprun/createfile.c \
	translator/digest.h \
	translator/display.c \
	translator/effect.c \
	translator/elide.c \
	translator/emit.c \
	translator/embedded.c \
	translator/emit.h \
	translator/emit_assign.c \
	translator/emit_call.c \
	translator/emit_count.c \
	translator/emit_embedded.c \
	translator/emit_expr.c \
	translator/emit_frame.c \
	translator/emit_gate.c \
	translator/emit_name.c \
	translator/emit_pretty.c \
	translator/emit_print.c \
	translator/emit_record.c \
	translator/emit_regex.c \
	translator/emit_stat.c \
	translator/emit_stmt.c \
	translator/emit_store.c \
	translator/emit_target.c \
	translator/emit_unit.c \
	translator/entry.c \
	translator/exit_site.c \
	translator/environment.c \
	translator/fold.c \
	translator/format.c \
	translator/gate.c \
	translator/guard.c \
	translator/gram_each.c \
	translator/gram_node.c \
	translator/gram.y \
	translator/given.c \
	translator/index.c \
	translator/kernel_functions.c \
	translator/lex.l \
	translator/installed.c \
	translator/interactive.c \
	translator/library.c \
	translator/library.h \
	translator/limits.c \
	translator/list.c \
	translator/listing.c \
	translator/load.c \
	translator/lock.c \
	translator/macro.c \
	translator/named_process.c \
	translator/node.c \
	translator/option_table.c \
	translator/option_words.c \
	translator/options.c \
	translator/options.h \
	translator/parse.h \
	translator/overload.c \
	translator/permit.c \
	translator/point.c \
	translator/point_list.c \
	translator/pointer.c \
	translator/preproc.c \
	translator/preproc.h \
	translator/probe/absolute.c \
	translator/probe/basic.c \
	translator/probe/callee.c \
	translator/probe/buildid.c \
	translator/probe/function.c \
	translator/probe/kernel.c \
	translator/probe/kernel_lines.c \
	translator/probe/kernel_miss.c \
	translator/probe/syscall.c \
	translator/probe/library.c \
	translator/probe/life.c \
	translator/probe/mark.c \
	translator/probe/plt.c \
	translator/probe/procfs.c \
	translator/probe/data.c \
	translator/probe/netfilter.c \
	translator/probe/perf.c \
	translator/probe/probe.h \
	translator/probe/process.h \
	translator/probe/program.c \
	translator/probe/statement.c \
	translator/probe/table.c \
	translator/probe/timer.c \
	translator/probewrite.c \
	translator/prune.c \
	translator/shape.c \
	translator/summary.c \
	translator/rcfile.c \
	translator/regex/dfa.c \
	translator/regex/nfa.c \
	translator/regex/parse.c \
	translator/regex/plan.c \
	translator/regex/regex.h \
	translator/raw.c \
	translator/resolve.c \
	translator/resolve_check.c \
	translator/rooted.c \
	translator/site.c \
	translator/site.h \
	translator/site_name.c \
	translator/site_text.c \
	translator/site_refused.c \
	translator/stack_modules.c \
	translator/stackmap.c \
	translator/target.c \
	translator/tokens.c \
	translator/trust.c \
	translator/trust.h \
	translator/type.c \
	translator/util.c \
	translator/modules.h \
	translator/ustap.h \
	translator/errtags.def

BUILT_SOURCES += translator/gram.h

bin_PROGRAMS += ustap
ustap_CPPFLAGS = $(libustap_a_CPPFLAGS)
ustap_SOURCES = translator/main.c translator/explain.c translator/passes.h
ustap_LDADD = libustap.a $(ELFUTILS_LIBS) $(READLINE_LIBS) $(JSON_C_LIBS)
ustap_CFLAGS = $(AM_CFLAGS) $(JSON_C_CFLAGS)
include translator/edit/local.mk
include translator/lsp/local.mk
