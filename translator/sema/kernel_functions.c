/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of SystemTap's library that are about the kernel itself and that ustap does not have.
 * Who calls one is told so, instead of that there is no such function.  The same for probe points
 * of the library that no kernel can have.
 */
#include <string.h>
#include "sema.h"

/* Names are between spaces. */
static const struct {
	const char *why, *names;
} groups[] = {
	{"it needs the lines of the kernel's source", " print_backtrace_fileline "},
	{"it is about addresses in the kernel", " symfile symfileline symline "},
	{"it takes or gives the address of a structure in the kernel", " container_of_task_rcu "},
	{"it is about page faults, memory nodes or errors as only the kernel has them",
	 " nfsderror "},
	{"there is no module of SystemTap's whose sections it could tell", " module_size "},
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
	{"socket.aio_*", "no kernel has a function for it any more",
	 "socket.read_iter and socket.write_iter took its place"},
	{"socket.readv*", "no kernel has a function for it any more",
	 "socket.read_iter took its place"},
	{"socket.writev*", "no kernel has a function for it any more",
	 "socket.write_iter took its place"},
	{"ipmib.In[ADNU]*", "the kernel counts it amid larger functions",
	 "the tracepoint kfree_skb tells which packets are dropped"},
	{"ipmib.FragFails", "the kernel counts it amid larger functions",
	 "the tracepoint kfree_skb tells which packets are dropped"},
	{"tp_syscall*",
	 "points of system calls are one family here, made of the kernel's tracepoints",
	 "write syscall.NAME"},
	{"dw_syscall*",
	 "points of system calls are one family here, made of the kernel's tracepoints",
	 "write syscall.NAME"},
	{"netfilter.bridge.*", "the library does not know what bridges pass on",
	 "write netfilter.hook(\"...\").pf(\"NFPROTO_BRIDGE\")"},
	{"nfs.*", "the library has no points of modules",
	 "write module(\"nfs\").function(\"...\")"},
	{"nfsd.*", "the library has no points of modules",
	 "write module(\"nfsd\").function(\"...\")"},
	{"sunrpc.*", "the library has no points of modules",
	 "write module(\"sunrpc\").function(\"...\")"},
	{"scsi.*", "the library has no points of modules",
	 "write module(\"scsi_mod\").function(\"...\")"},
	{"netdev.change_rx_flag", "its function is a part of others in every kernel",
	 "netdev.set_promiscuity is near to it"},
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
