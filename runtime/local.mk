# Keep one file a line, sorted.

# Sources common to all runtimes, built for each port: the kernel module (as installed source), the
# traced process (runtime/user/local.mk) and an ordinary process (libport_hosted.a in
# testsuite/local.mk).
runtime_common_sources = \
	runtime/common/arch/frame_regs.h \
	runtime/common/arch/register_names.h \
	runtime/common/arch/regs.h \
	runtime/common/arch/unwind_x86_64.c \
	runtime/common/arch/vector.h \
	runtime/common/arrays/hist.c \
	runtime/common/arrays/map.c \
	runtime/common/arrays/map_memory.c \
	runtime/common/arrays/sort.c \
	runtime/common/arrays/stat.c \
	runtime/common/arrays/variance.c \
	runtime/common/builtins/call_names.c \
	runtime/common/builtins/call_names_table.h \
	runtime/common/builtins/command_line.c \
	runtime/common/builtins/date.c \
	runtime/common/builtins/errno_names.c \
	runtime/common/builtins/kernel_string.c \
	runtime/common/builtins/memory_dump.c \
	runtime/common/builtins/net_names.c \
	runtime/common/builtins/probe_point.c \
	runtime/common/builtins/registers.c \
	runtime/common/builtins/user_read.c \
	runtime/common/builtins/user_write.c \
	runtime/common/builtins/utf_strings.c \
	runtime/common/common.h \
	runtime/common/context/counts.c \
	runtime/common/context/ctx.c \
	runtime/common/context/flush.c \
	runtime/common/context/globals.c \
	runtime/common/context/record.c \
	runtime/common/context/timer_queue.c \
	runtime/common/fp/fp_builtins.c \
	runtime/common/fp/fp_format.c \
	runtime/common/memory/target_read.c \
	runtime/common/memory/tls.c \
	runtime/common/pretty/pretty.c \
	runtime/common/pretty/pretty.h \
	runtime/common/pretty/type_summary.c \
	runtime/common/strings/embedded_printf.c \
	runtime/common/strings/fmt.c \
	runtime/common/strings/regex.c \
	runtime/common/strings/string.c \
	runtime/common/strings/string_builtins.c \
	runtime/common/strings/tokenize.c \
	runtime/common/unwind/cfi.c \
	runtime/common/unwind/cfi_expr.c \
	runtime/common/unwind/folded_stack.c \
	runtime/common/unwind/mapped_image.c \
	runtime/common/unwind/name_mark.c \
	runtime/common/unwind/symbol.c \
	runtime/common/unwind/unwind.c \
	runtime/common/unwind/unwind.h

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
	runtime/include/arch/ustap_regs.h \
	runtime/include/elfid.h \
	runtime/include/port.h \
	runtime/include/syscall_numbers.h \
	runtime/include/ustap_builtins.h \
	runtime/include/ustap_embedded.h \
	runtime/include/ustap_rt.h \
	runtime/include/utf8_char.h \
	runtime/include/wire.h \
	runtime/kernel/arch/arch.h \
	runtime/kernel/arch/x86_64.h \
	runtime/kernel/arch/x86_64_vector.c \
	runtime/kernel/builtins/kernel_memory.c \
	runtime/kernel/builtins/kernel_stack.c \
	runtime/kernel/builtins/kernel_write.c \
	runtime/kernel/builtins/machine.c \
	runtime/kernel/builtins/raise.c \
	runtime/kernel/builtins/task.c \
	runtime/kernel/builtins/tasks.c \
	runtime/kernel/compat.h \
	runtime/kernel/context.c \
	runtime/kernel/features.mk \
	runtime/kernel/gate.c \
	runtime/kernel/main.c \
	runtime/kernel/memory/kernel_variables.c \
	runtime/kernel/memory/mapping.c \
	runtime/kernel/memory/pagein.c \
	runtime/kernel/memory/stack_room.c \
	runtime/kernel/memory/stack_room.h \
	runtime/kernel/memory/umem.c \
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
	runtime/kernel/reentry_guard.h \
	runtime/kernel/rt.h \
	runtime/kernel/subsystem.c \
	runtime/kernel/transport/control.c \
	runtime/kernel/transport/procdir.c \
	runtime/kernel/transport/procfs.c \
	runtime/kernel/transport/relay.c
