# Keep one file a line, sorted.

# What every runtime is built of, for each port: the kernel module (as installed source), the traced
# process (runtime/user/local.mk) and an ordinary process (libport_hosted.a in testsuite/local.mk).
runtime_common_sources = \
	runtime/common/call_names.c \
	runtime/common/call_names_table.h \
	runtime/common/cfi.c \
	runtime/common/cfi_expr.c \
	runtime/common/common.h \
	runtime/common/count.c \
	runtime/common/ctx.c \
	runtime/common/date.c \
	runtime/common/dump.c \
	runtime/common/embedded_printf.c \
	runtime/common/errno_names.c \
	runtime/common/fmt.c \
	runtime/common/flush.c \
	runtime/common/folded.c \
	runtime/common/fp_builtins.c \
	runtime/common/fp_format.c \
	runtime/common/globals.c \
	runtime/common/guru.c \
	runtime/common/hist.c \
	runtime/common/image.c \
	runtime/common/kmem.c \
	runtime/common/map.c \
	runtime/common/map_memory.c \
	runtime/common/moments.c \
	runtime/common/name_mark.c \
	runtime/common/net_names.c \
	runtime/common/pn.c \
	runtime/common/pretty.c \
	runtime/common/pretty.h \
	runtime/common/proc.c \
	runtime/common/record.c \
	runtime/common/regex.c \
	runtime/common/regs.c \
	runtime/common/sort.c \
	runtime/common/stat.c \
	runtime/common/string.c \
	runtime/common/summary.c \
	runtime/common/symbol.c \
	runtime/common/target_read.c \
	runtime/common/text.c \
	runtime/common/tls.c \
	runtime/common/token.c \
	runtime/common/turns.c \
	runtime/common/unwind.c \
	runtime/common/unwind.h \
	runtime/common/user_read.c \
	runtime/common/utf_strings.c \
	runtime/common/vector.h

# Options of ustap and of the loader, in the order of the manual pages.
option_tables = \
	runtime/include/options/options.def \
	runtime/include/options/script.def \
	runtime/include/options/list.def \
	runtime/include/options/target.def \
	runtime/include/options/run.def \
	runtime/include/options/build.def \
	runtime/include/options/look.def \
	runtime/include/options/loader.def \
	runtime/include/options/refused.def

# The runtime is installed as source: it is compiled once for each kernel.
nobase_dist_pkgdata_DATA += \
	$(runtime_common_sources) \
	runtime/common/elfid.c \
	runtime/include/elfid.h \
	runtime/include/port.h \
	runtime/include/syscall_numbers.h \
	runtime/include/ustap_builtins.h \
	runtime/include/ustap_embedded.h \
	runtime/include/ustap_rt.h \
	runtime/include/utf8_char.h \
	runtime/include/wire.h \
	runtime/kernel/builtins/kernel_memory.c \
	runtime/kernel/builtins/kernel_stack.c \
	runtime/kernel/builtins/kernel_write.c \
	runtime/kernel/builtins/machine.c \
	runtime/kernel/builtins/raise.c \
	runtime/kernel/builtins/task.c \
	runtime/kernel/builtins/tasks.c \
	runtime/kernel/compat.h \
	runtime/kernel/context.c \
	runtime/kernel/crash_guard.h \
	runtime/kernel/features.mk \
	runtime/kernel/gate.c \
	runtime/kernel/main.c \
	runtime/kernel/memory/callregs.h \
	runtime/kernel/memory/kernel_variables.c \
	runtime/kernel/memory/mapping.c \
	runtime/kernel/memory/pagein.c \
	runtime/kernel/memory/stack.c \
	runtime/kernel/memory/stack.h \
	runtime/kernel/memory/umem.c \
	runtime/kernel/memory/vector.c \
	runtime/kernel/port_impl.h \
	runtime/kernel/probes/cpus.c \
	runtime/kernel/probes/cpus.h \
	runtime/kernel/probes/data.c \
	runtime/kernel/probes/entry_values.c \
	runtime/kernel/probes/ftrace_bulk.c \
	runtime/kernel/probes/kprobe.c \
	runtime/kernel/probes/kprobe.h \
	runtime/kernel/probes/module_probes.c \
	runtime/kernel/probes/netfilter.c \
	runtime/kernel/probes/perf.c \
	runtime/kernel/probes/perf.h \
	runtime/kernel/probes/perf_task.c \
	runtime/kernel/probes/process_events.c \
	runtime/kernel/probes/sample.h \
	runtime/kernel/probes/symbol_variants.c \
	runtime/kernel/probes/syscall.c \
	runtime/kernel/probes/timer.c \
	runtime/kernel/probes/tracepoint.c \
	runtime/kernel/probes/tracepoint.h \
	runtime/kernel/probes/uprobe.c \
	runtime/kernel/probes/verify.c \
	runtime/kernel/process/fileid.c \
	runtime/kernel/process/filter.c \
	runtime/kernel/process/namespaces.c \
	runtime/kernel/process/taskwork.h \
	runtime/kernel/process/untraced.c \
	runtime/kernel/rt.h \
	runtime/kernel/subsystem.c \
	runtime/kernel/transport/control.c \
	runtime/kernel/transport/procdir.c \
	runtime/kernel/transport/procfs.c \
	runtime/kernel/transport/relay.c
