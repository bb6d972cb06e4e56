# The script library, one topic a file.
nobase_dist_pkgdata_DATA += \
	tapsets/ansi.stp \
	tapsets/assert.stp \
	tapsets/atomic.stp \
	tapsets/clocks.stp \
	tapsets/cmdline.stp \
	tapsets/context.stp \
	tapsets/ctime.stp \
	tapsets/defined.stpm \
	tapsets/dev.stp \
	tapsets/errno.stp \
	tapsets/flags.stp \
	tapsets/floating_point.stp \
	tapsets/glibc.stp \
	tapsets/glibc.stpm \
	tapsets/hotspot.stp \
	tapsets/hotspot.stpm \
	tapsets/indent.stp \
	tapsets/inet.stp \
	tapsets/ip.stp \
	tapsets/json.stp \
	tapsets/json.stpm \
	tapsets/libstdcxx.stp \
	tapsets/libstdcxx.stpm \
	tapsets/libvirt.stp \
	tapsets/libvirt.stpm \
	tapsets/kernel_memory.stp \
	tapsets/life.stp \
	tapsets/linux/task_files.stp \
	tapsets/module.stp \
	tapsets/machine.stp \
	tapsets/namespaces.stp \
	tapsets/perl.stp \
	tapsets/perl.stpm \
	tapsets/php.stp \
	tapsets/php.stpm \
	tapsets/postgresql.stp \
	tapsets/postgresql.stpm \
	tapsets/proc_mem.stp \
	tapsets/programs.stpm \
	tapsets/prometheus.stp \
	tapsets/prometheus.stpm \
	tapsets/python.stp \
	tapsets/python.stpm \
	tapsets/queue_stats.stp \
	tapsets/registers.stp \
	tapsets/rlimit.stp \
	tapsets/ruby.stp \
	tapsets/ruby.stpm \
	tapsets/signal.stp \
	tapsets/socket.stp \
	tapsets/speculation.stp \
	tapsets/stopwatch.stp \
	tapsets/target_set.stp \
	tapsets/task.stp \
	tapsets/task_limits.stp \
	tapsets/time_text.stp \
	tapsets/tokenize.stp \
	tapsets/tz.stp \
	tapsets/ucontext.stp \
	tapsets/user_memory.stp \
	tapsets/user_quoted.stp \
	tapsets/user_string.stp
# Tells other packages where the directory is: pkg-config --variable=tapsetdir ustap
pkgconfigdir = $(datadir)/pkgconfig
pkgconfig_DATA = tapsets/ustap.pc
