# The translator: everything but main() is a library, so that unit tests link it too.
noinst_LIBRARIES += libustap.a
libustap_a_CPPFLAGS = -I$(srcdir)/translator -Itranslator -I$(srcdir)/runtime/include \
	-DPKGDATADIR='"$(pkgdatadir)"' -DPKGLIBEXECDIR='"$(pkglibexecdir)"' \
	-DPKGLIBDIR='"$(pkglibdir)"' -DBINDIR='"$(bindir)"'
libustap_a_CFLAGS = $(AM_CFLAGS) $(ELFUTILS_CFLAGS) $(NETTLE_CFLAGS) $(LIBBPF_CFLAGS)
# Probe types, from which families.inc and doc/ustap-probes.7 are made, in the order of that page;
# and what they share.
probe_sources = translator/probe/basic.c \
	translator/probe/timer.c \
	translator/probe/procfs.c \
	translator/probe/function.c \
	translator/probe/callee.c \
	translator/probe/statement.c \
	translator/probe/absolute.c \
	translator/probe/plt.c \
	translator/probe/mark.c \
	translator/probe/process_events.c \
	translator/probe/kernel_function.c \
	translator/probe/kernel_lines.c \
	translator/probe/syscall.c \
	translator/probe/watch.c \
	translator/probe/data.c \
	translator/probe/netfilter.c \
	translator/probe/perf.c \
	translator/probe/buildid.c \
	translator/probe/call_variables.c \
	translator/probe/kernel_debug.c \
	translator/probe/kernel_miss.c \
	translator/probe/library_point.c \
	translator/probe/probe.h \
	translator/probe/process_point.h \
	translator/probe/program.c \
	translator/probe/table.c
libustap_a_SOURCES = \
	runtime/common/elfid.c \
	$(option_tables) \
	runtime/staprun/answers.c \
	runtime/staprun/createfile.c \
	translator/backend/backend.h \
	translator/backend/build.c \
	translator/backend/common.c \
	translator/backend/headers.c \
	translator/backend/kbuild.c \
	translator/backend/kbuild_commands.c \
	translator/backend/kbuild_commands.h \
	translator/backend/kernel.c \
	translator/backend/kernel.h \
	translator/backend/lossless.c \
	translator/backend/runtime_parts.c \
	translator/backend/runtime_parts.h \
	translator/backend/sign.c \
	translator/backend/stack_limit.c \
	translator/backend/symbol_versions.c \
	translator/backend/user.c \
	translator/base/cache.c \
	translator/base/cache.h \
	translator/base/cache_lock.c \
	translator/base/cache_remove.c \
	translator/base/cache_size.c \
	translator/base/cleanup.c \
	translator/base/cleanup.h \
	translator/base/crash_guard.c \
	translator/base/crash_guard.h \
	translator/base/ctext_type.h \
	translator/base/diag.c \
	translator/base/diag.h \
	translator/base/digest.c \
	translator/base/digest.h \
	translator/base/environment.c \
	translator/base/environment.h \
	translator/base/errtags.def \
	translator/base/installed.c \
	translator/base/installed.h \
	translator/base/kernel_target.c \
	translator/base/kernel_target.h \
	translator/base/kernel_uprobes.c \
	translator/base/kernel_uprobes.h \
	translator/base/private_dir.c \
	translator/base/proc_maps.c \
	translator/base/proc_maps.h \
	translator/base/proc_root.c \
	translator/base/proc_root.h \
	translator/base/stack_limit.c \
	translator/base/stack_limit.h \
	translator/base/subprocess.c \
	translator/base/subprocess.h \
	translator/base/trust.c \
	translator/base/trust.h \
	translator/base/util.c \
	translator/base/util.h \
	translator/cli/build_as.c \
	translator/cli/bundle.c \
	translator/cli/bundle.h \
	translator/cli/bundle_files.c \
	translator/cli/bundle_words.c \
	translator/cli/command_words.c \
	translator/cli/dump_lists.c \
	translator/cli/example.c \
	translator/cli/interactive.c \
	translator/cli/limits.c \
	translator/cli/listing.c \
	translator/cli/loader_args.c \
	translator/cli/named_process.c \
	translator/cli/option_help.c \
	translator/cli/option_table.c \
	translator/cli/option_value.c \
	translator/cli/options.c \
	translator/cli/options.h \
	translator/cli/rcfile.c \
	translator/cli/record.c \
	translator/cli/remote.h \
	translator/cli/remote_build.c \
	translator/cli/remote_host.c \
	translator/cli/remote_lines.c \
	translator/cli/remote_merge.c \
	translator/cli/remote_options.c \
	translator/cli/remote_program.c \
	translator/cli/stap_names.c \
	translator/cli/system_report.c \
	translator/cli/time.c \
	translator/dwarf/access.h \
	translator/dwarf/address_maps.h \
	translator/dwarf/module.h \
	translator/dwarf/code_locations.h \
	translator/dwarf/variables.h \
	translator/emit/access_machine.c \
	translator/emit/access_machine.h \
	translator/emit/ctext.c \
	translator/emit/ctext.h \
	translator/emit/emit.c \
	translator/emit/emit.h \
	translator/emit/emit_assign.c \
	translator/emit/emit_call.c \
	translator/emit/emit_count.c \
	translator/emit/emit_overhead.c \
	translator/emit/emit_embedded.c \
	translator/emit/emit_expr.c \
	translator/emit/emit_frame.c \
	translator/emit/emit_gate.c \
	translator/emit/emit_gate_use.c \
	translator/emit/emit_line.c \
	translator/emit/emit_name.c \
	translator/emit/emit_pretty.c \
	translator/emit/emit_print.c \
	translator/emit/emit_record.c \
	translator/emit/emit_regex.c \
	translator/emit/emit_stat.c \
	translator/emit/emit_stmt.c \
	translator/emit/emit_store.c \
	translator/emit/emit_target.c \
	translator/emit/emit_touch.c \
	translator/emit/emit_unit.c \
	translator/emit/emit_value.c \
	translator/emit/frame_depth.c \
	translator/emit/stack_modules.c \
	translator/emit/stackmap.c \
	translator/emit/stackmap.h \
	translator/parse/condition.c \
	translator/parse/embedded_c.c \
	translator/parse/gram.y \
	translator/parse/gram_expr.c \
	translator/parse/gram_foreach.c \
	translator/parse/gram_node.c \
	translator/parse/lex.l \
	translator/parse/library.h \
	translator/parse/macro.c \
	translator/parse/node.c \
	translator/parse/node.h \
	translator/parse/parse.h \
	translator/parse/point_list.c \
	translator/parse/point_text.c \
	translator/parse/preproc.c \
	translator/parse/preproc.h \
	translator/parse/print_format.c \
	translator/parse/raw_access.c \
	translator/parse/script.h \
	translator/parse/source_load.c \
	translator/parse/summary_decl.c \
	translator/parse/summary_decl.h \
	translator/parse/summary_list.c \
	translator/parse/tapset.c \
	translator/parse/tapset.h \
	translator/parse/tapset_index.c \
	translator/parse/tokens.c \
	translator/parse/tokens.h \
	$(probe_sources) \
	translator/regex/dfa.c \
	translator/regex/nfa.c \
	translator/regex/parse.c \
	translator/regex/plan.c \
	translator/regex/regex.h \
	translator/sema/alias.c \
	translator/sema/builtin.c \
	translator/sema/builtin.h \
	translator/sema/builtin_check.c \
	translator/sema/display.c \
	translator/sema/dump_program.c \
	translator/sema/effect.c \
	translator/sema/elide.c \
	translator/sema/fold.c \
	translator/sema/foreach_check.c \
	translator/sema/gate.c \
	translator/sema/kernel_functions.c \
	translator/sema/locks.c \
	translator/sema/export.c \
	translator/sema/merge_rule.c \
	translator/sema/overhead.c \
	translator/sema/module_params.c \
	translator/sema/nesting.c \
	translator/sema/overload.c \
	translator/sema/pointer.c \
	translator/sema/points/entry_values.c \
	translator/sema/points/function_copies.c \
	translator/sema/points/exit_site.c \
	translator/sema/points/point.c \
	translator/sema/points/point.h \
	translator/sema/points/process_access.c \
	translator/sema/points/shared_probe.c \
	translator/sema/points/site.c \
	translator/sema/points/site.h \
	translator/sema/points/site_name.c \
	translator/sema/points/site_refusal.c \
	translator/sema/points/site_text.c \
	translator/sema/points/target_vars.c \
	translator/sema/points/target_vars.h \
	translator/sema/points/unwinders.c \
	translator/sema/probe_data.c \
	translator/sema/probewrite.c \
	translator/sema/program.h \
	translator/sema/prune.c \
	translator/sema/resolve.c \
	translator/sema/resolve_check.c \
	translator/sema/sema.h \
	translator/sema/stat_layout.c \
	translator/sema/type_conflict.c \
	translator/sema/types.c \
	translator/session.c \
	translator/session.h

BUILT_SOURCES += translator/parse/gram.h

# The families of probe points, as FAMILY(NAME) each.
BUILT_SOURCES += translator/probe/families.inc
CLEANFILES += translator/probe/families.inc
translator/probe/libustap_a-table.$(OBJEXT): translator/probe/families.inc
translator/probe/families.inc: $(srcdir)/translator/local.mk $(probe_sources)
	$(AM_V_GEN)$(MKDIR_P) translator/probe && \
		sed -n 's/^const struct probe_kind \(probe_[a-z_]*\)\[\] = {$$/FAMILY(\1)/p' \
		$(probe_sources:%=$(srcdir)/%) > $@.tmp && mv $@.tmp $@

bin_PROGRAMS += ustap
ustap_CPPFLAGS = $(libustap_a_CPPFLAGS)
ustap_SOURCES = translator/main.c translator/cli/run.c translator/cli/explain.c \
	translator/cli/remote.c translator/passes.h
ustap_LDADD = libustap.a $(ELFUTILS_LIBS) $(READLINE_LIBS) $(JSON_C_LIBS)
ustap_CFLAGS = $(AM_CFLAGS) $(JSON_C_CFLAGS)
include translator/edit/local.mk
include translator/lsp/local.mk
