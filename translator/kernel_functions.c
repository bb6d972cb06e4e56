/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of SystemTap's library that are about the kernel itself and that ustap does not have.  Who calls one is told
 * so, instead of that there is no such function.
 */
#include <string.h>
#include "ustap.h"

/* Names are between spaces. */
static const struct {
	const char *why, *names;
} groups[] = {
	{"it reads the kernel's memory",
	 " kernel_buffer_quoted kernel_buffer_quoted_error kernel_or_user_string_quoted"
	 " kernel_or_user_string_quoted_utf16 kernel_or_user_string_quoted_utf32 kernel_string_quoted_utf16"
	 " kernel_string_quoted_utf32 kernel_string_utf16 kernel_string_utf32 kernel_string2_utf16 kernel_string2_utf32"
	 " kernel_uint kernel_ulong kernel_ushort kernel_int8 kernel_int16 kernel_int32 kernel_int64 kernel_uint8"
	 " kernel_uint16 kernel_uint32 kernel_uint64 "},
	{"it changes the kernel's memory",
	 " set_kernel_char set_kernel_int set_kernel_long set_kernel_pointer set_kernel_short set_kernel_string"
	 " set_kernel_string_n "},
	{"it is about the kernel's stack",
	 " caller caller_addr dump_stack print_backtrace_fileline stack_size stack_unused stack_used "},
	{"it is about addresses in the kernel", " probemod symfile symfileline symline "},
	{"it takes or gives the address of a structure in the kernel",
	 " container_of_task_rcu inet_get_ip_source inet_get_local_port ipmib_filter_key ipmib_get_proto"
	 " ipmib_local_addr ipmib_remote_addr ipmib_tcp_local_port ipmib_tcp_remote_port linuxmib_filter_key"
	 " sock_flags_num2str tcpmib_filter_key tcpmib_get_state"
	 " tcpmib_local_addr tcpmib_local_port tcpmib_remote_addr tcpmib_remote_port "},
	{"it is about page faults, memory nodes or errors as only the kernel has them",
	 " addr_to_node nfsderror vm_fault_contains "},
	{"it writes to the kernel's log or trace, or stops the kernel", " ftrace panic printk "},
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
