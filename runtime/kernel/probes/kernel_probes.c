/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of the probe types of the kernel, of system calls, of counters, of
 * watched data and of packets: what
 * the rest of the runtime calls of them. */
#include "probes.h"

static u32 symbols(void) { return kprobe_symbols() + data_symbols(); }

static int read_symbols(char *text)
{
	data_read_symbols(text);
	return kprobe_symbols() ? kprobe_read_symbols(text) : 0;
}

static int register_all(void)
{
	int err = kprobe_register_all();

	if (!err)
		err = syscall_start();
	return err ? err : watch_start();
}

static void unregister_all(void)
{
	kprobe_unregister_all();
	syscall_stop();
	watch_stop();
}

const struct ust_kernel_probes ust_kernel_probes = {
	.symbols = symbols,
	.read_symbols = read_symbols,
	.register_all = register_all,
	.refresh = kprobe_refresh,
	.some_closed = kprobe_some_closed,
	.unregister_all = unregister_all,
	.perf_start = perf_start,
	.perf_stop = perf_stop,
	.data_init = data_init,
	.data_start = data_start,
	.data_stop = data_stop,
	.data_exit = data_exit,
	.netfilter_start = netfilter_start,
	.netfilter_stop = netfilter_stop,
};
