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
	{"it needs the line table of the whole kernel; use symdata() or print_backtrace()",
	 " print_backtrace_fileline symfile symfileline symline "},
	{"it reads objects of Python releases up to 3.10; use python_print_backtrace() or the probe"
	 " points python.*",
	 " python2_get_locals python2_get_var_obj python3_get_locals python3_get_var_obj"
	 " python3_initialize Py2Object_GetAttr Py2Object_Repr Py3Object_GetAttr Py3Object_Repr "},
	{"it needs SystemTap's agent in the Java program; use the probe points hotspot.*",
	 " print_java_backtrace sprint_java_backtrace "},
	{"queues of kernels since 5.0 do not list their requests; use the disk of a request",
	 " disk_major_from_request disk_minor_from_request "},
	{"it left SystemTap with 2.3; use kernel_pointer()", " ppos_pos "},
	{"it left SystemTap with 2.0; use format_ipaddr()", " daddr_to_string "},
	{"it left SystemTap with 2.3; use NFS_SERVER()", " stap_NFS_CLIENT "},
	{"it is about a system call of 32-bit programs; use syscall.mmap2", " get_mmap_args "},
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
	{"java(*", "it needs SystemTap's agent in the Java program",
	 "use the probe points hotspot.*"},
	{"python2.*", "it needs SystemTap's module in the Python program",
	 "use the probe points python.*"},
	{"python3.*", "it needs SystemTap's module in the Python program",
	 "use the probe points python.*"},
	{"debuginfod.*", "programs are found by their path or build-id",
	 "write process(\"PATH\") or process(\"BUILD-ID\"): debuginfod is asked for debug "
	 "information where $DEBUGINFOD_URLS is set"},
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
