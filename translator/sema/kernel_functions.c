/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SystemTap's tapset functions on the kernel itself that ustap does not have. A call of one is
 * reported as unsupported, with the reason, instead of as an unknown function; so are tapset
 * probe points that no kernel can have.
 */
#include <string.h>
#include "sema.h"

/* Names are between spaces. */
static const struct {
	const char *why, *names;
} groups[] = {
	{"it needs the lines of the kernel's source", " print_backtrace_fileline "},
	{"it is about addresses in the kernel", " symfile symfileline symline "},
	{"it describes the sections of a SystemTap module, and ustap does not build one",
	 " module_size "},
};

const char *kernel_function(const char *name)
{
	const char *word = xprintf(" %s ", name);

	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (strstr(groups[i].names, word))
			return groups[i].why;
	return NULL;
}

static const struct {
	const char *pattern, *why, *instead;
} points[] = {
	{"socket.aio_*", "current kernels have no function for it",
	 "use socket.read_iter and socket.write_iter"},
	{"socket.readv*", "current kernels have no function for it", "use socket.read_iter"},
	{"socket.writev*", "current kernels have no function for it", "use socket.write_iter"},
	{"ipmib.In[ADNU]*", "the kernel counts it within larger functions",
	 "use the tracepoint kfree_skb for dropped packets"},
	{"ipmib.FragFails", "the kernel counts it within larger functions",
	 "use the tracepoint kfree_skb for dropped packets"},
	{"tp_syscall*",
	 "points of system calls are one family here, made of the kernel's tracepoints",
	 "write syscall.NAME"},
	{"dw_syscall*",
	 "points of system calls are one family here, made of the kernel's tracepoints",
	 "write syscall.NAME"},
	{"nfs.*", "the tapset library has no probe points for modules",
	 "write module(\"nfs\").function(\"...\")"},
	{"nfsd.proc2.*", "kernels are built without version 2 of NFS",
	 "use nfsd.proc3 and nfsd.proc4"},
	{"nfsd.open*", "the module has several functions of that name or none",
	 "use nfsd.lookup, nfsd.read and nfsd.write"},
	{"nfsd.close*", "the module has no function for it", "use kernel.function(\"__fput\")"},
	{"nfsd.createv3*", "the module has no function for it", "use nfsd.proc3.create"},
	{"sunrpc.*", "the tapset library has no probe points for modules",
	 "write module(\"sunrpc\").function(\"...\")"},
	{"netdev.change_rx_flag", "its function is inlined in every kernel",
	 "use netdev.set_promiscuity"},
};

const char *kernel_point(const char *name, const char **instead)
{
	for (size_t i = 0; i < ARRAY_LEN(points); i++)
		if (glob_match(points[i].pattern, name)) {
			*instead = points[i].instead;
			return points[i].why;
		}
	return NULL;
}
