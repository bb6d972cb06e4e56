# The runtime is installed as source: it is compiled once for each kernel.
# Keep one file a line, sorted.
nobase_dist_pkgdata_DATA += \
	runtime/common/common.h \
	runtime/common/count.c \
	runtime/common/ctx.c \
	runtime/common/date.c \
	runtime/common/dump.c \
	runtime/common/embedded.c \
	runtime/common/fmt.c \
	runtime/common/fp.c \
	runtime/common/globals.c \
	runtime/common/hist.c \
	runtime/common/map.c \
	runtime/common/moments.c \
	runtime/common/token.c \
	runtime/common/wide.c \
	runtime/common/names.c \
	runtime/common/pretty.c \
	runtime/common/proc.c \
	runtime/common/regs.c \
	runtime/common/regex.c \
	runtime/common/sort.c \
	runtime/common/stat.c \
	runtime/common/string.c \
	runtime/common/text.c \
	runtime/common/symbol.c \
	runtime/common/unwind.c \
	runtime/include/port.h \
	runtime/include/ustap_embedded.h \
	runtime/include/ustap_rt.h \
	runtime/include/wire.h \
	runtime/kernel/buildid.c \
	runtime/kernel/compat.h \
	runtime/kernel/context.c \
	runtime/kernel/control.c \
	runtime/kernel/features.mk \
	runtime/kernel/filter.c \
	runtime/kernel/main.c \
	runtime/kernel/port_impl.h \
	runtime/kernel/probe.c \
	runtime/kernel/procdir.c \
	runtime/kernel/relay.c \
	runtime/kernel/rt.h \
	runtime/kernel/saved.c \
	runtime/kernel/task.c \
	runtime/kernel/timer.c \
	runtime/kernel/umem.c
