/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the runtime implements: one row each.  A row gives the
 * script's name, the types, and the C function of ustap_builtins.h, which is called
 * cname(c, [dst,] args...).  A new builtin is a row here and a function there.
 */
#include <string.h>
#include "sema.h"

#define NONE T_UNKNOWN
#define LONG T_LONG
#define STR  T_STRING

/* Flags of rows: PURE rows may be dropped when their value is not used; USER_READ rows read the
 * memory that their first argument points to. */
#define PURE          BF_PURE
#define CLOCK         (BF_PURE | BF_NO_CTX | BF_CLOCK)
#define SITE          (BF_PURE | BF_SITE)
#define READ          BF_USER_READ /* gives 0 where nothing is mapped */
#define MATCH         (BF_CAN_FAIL | BF_MATCH)
#define CHANGE        (BF_CAN_FAIL | BF_GURU)
#define KERNEL_CHANGE (BF_KERNEL | CHANGE)
#define FILE          (BF_KERNEL | BF_CAN_FAIL | BF_FILE)
#define READS         (BF_USER_READ | BF_CAN_FAIL)

/* clang-format off */
static const struct builtin builtins[] = {
	/* name, result, arguments, their number, flags, C function */
	{"exit", NONE, {0}, 0, 0, "ust_exit"},
	{"abort", NONE, {0}, 0, BF_CAN_FAIL, "ust_abort"},
	{"error", NONE, {STR}, 1, BF_CAN_FAIL, "ust_error"},
	{"warn", NONE, {STR}, 1, 0, "ust_warn"},

	{"pid", LONG, {0}, 0, PURE, "ust_pid"},
	{"tid", LONG, {0}, 0, PURE, "ust_tid"},
	{"ppid", LONG, {0}, 0, PURE, "ust_ppid"},
	{"uid", LONG, {0}, 0, PURE, "ust_uid"},
	{"euid", LONG, {0}, 0, PURE, "ust_euid"},
	{"gid", LONG, {0}, 0, PURE, "ust_gid"},
	{"egid", LONG, {0}, 0, PURE, "ust_egid"},
	{"cpu", LONG, {0}, 0, PURE, "ust_cpu"},
	{"target", LONG, {0}, 0, PURE, "ust_target"},
	{"execname", STR, {0}, 0, PURE, "ust_execname"},

	{"is_return", LONG, {0}, 0, SITE, "ust_is_return"},
	{"user_mode", LONG, {0}, 0, SITE, "ust_user_mode"},
	{"probing_32bit_app", LONG, {0}, 0, SITE, "ust_probing_32bit_app"},
	{"addr", LONG, {0}, 0, SITE | BF_REGS, "ust_addr"},
	{"uaddr", LONG, {0}, 0, SITE | BF_REGS, "ust_uaddr"},
	{"pp", STR, {0}, 0, PURE, "ust_pp"},
	{"__estimate_mark", STR, {LONG}, 1, PURE, "ust_estimate_mark"},
	{"__input_char", STR, {0}, 0, PURE, "ust_input_char"},
	{"probe_type", STR, {0}, 0, PURE, "ust_probe_type"},
	{"pn", STR, {0}, 0, PURE | BF_NAMES, "ust_pn"},
	{"pnlabel", STR, {0}, 0, PURE | BF_NAMES, "ust_pnlabel"},
	{"ppfunc", STR, {0}, 0, SITE, "ust_ppfunc"},
	{"probefunc", STR, {0}, 0, SITE, "ust_probefunc"},

	{"gettimeofday_s", LONG, {0}, 0, CLOCK, "ust_gettimeofday_s"},
	{"gettimeofday_ms", LONG, {0}, 0, CLOCK, "ust_gettimeofday_ms"},
	{"gettimeofday_us", LONG, {0}, 0, CLOCK, "ust_gettimeofday_us"},
	{"gettimeofday_ns", LONG, {0}, 0, CLOCK, "ust_gettimeofday_ns"},

	{"pgrp", LONG, {0}, 0, PURE, "ust_pgrp"},
	{"sid", LONG, {0}, 0, PURE, "ust_sid"},
	{"__task", LONG, {LONG, LONG}, 2, PURE | BF_DEEP, "ust_task"},
	{"__task_name", STR, {LONG}, 1, PURE | BF_DEEP, "ust_task_name"},
	{"__task_current", LONG, {0}, 0, PURE, "ust_task_current"},
	{"__task_of_id", LONG, {LONG}, 1, PURE | BF_DEEP, "ust_task_of_id"},
	{"__task_at", LONG, {LONG, LONG}, 2, PURE | BF_DEEP, "ust_task_at"},
	{"__task_name_at", STR, {LONG}, 1, PURE | BF_DEEP, "ust_task_name_at"},
	{"stp_pid", LONG, {0}, 0, PURE, "ust_stp_pid"},
	{"pexecname", STR, {0}, 0, PURE, "ust_pexecname"},
	{"cmdline_args", STR, {LONG, LONG, STR}, 3, PURE | BF_CAN_FAIL, "ust_cmdline_args"},
	{"env_var", STR, {STR}, 1, PURE | BF_CAN_FAIL, "ust_env_var"},

	{"ubacktrace", STR, {0}, 0, BF_STACK | BF_WALK, "ust_ubacktrace"},
	{"ucallers", STR, {LONG}, 1, BF_STACK | BF_WALK, "ust_ucallers"},
	{"ustack", LONG, {LONG}, 1, BF_STACK | BF_WALK | BF_CAN_FAIL, "ust_ustack"},
	{"print_ubacktrace", NONE, {0}, 0, BF_STACK | BF_FRAMES, "ust_print_ubacktrace"},
	{"print_ubacktrace_brief", NONE, {0}, 0, BF_STACK | BF_FRAMES,
		"ust_print_ubacktrace_brief"},
	{"__print_ubacktrace_from", NONE, {LONG, LONG, LONG}, 3, BF_STACK | BF_FRAMES,
		"ust_print_ubacktrace_from"},
	{"__print_ubacktrace_fileline_from", NONE, {LONG, LONG, LONG}, 3,
		BF_STACK | BF_LINES | BF_FRAMES,
	 "ust_print_ubacktrace_fileline_from"},
	{"sprint_ubacktrace", STR, {0}, 0, BF_STACK | BF_FRAMES, "ust_sprint_ubacktrace"},
	{"print_ustack", NONE, {STR}, 1, BF_STACK | BF_FRAMES, "ust_print_ustack"},
	{"print_usyms", NONE, {STR}, 1, BF_STACK | BF_FRAMES, "ust_print_ustack"},
	{"sprint_ustack", STR, {STR}, 1, BF_STACK | BF_FRAMES, "ust_sprint_ustack"},
	{"sprint_usyms", STR, {STR}, 1, BF_STACK | BF_FRAMES, "ust_sprint_ustack"},
	{"usymname", STR, {LONG}, 1, BF_STACK, "ust_usymname"},
	{"usymdata", STR, {LONG}, 1, BF_STACK, "ust_usymdata"},
	{"usymfile", STR, {LONG}, 1, BF_STACK | BF_LINES, "ust_usymfile"},
	{"usymline", STR, {LONG}, 1, BF_STACK | BF_LINES, "ust_usymline"},
	{"usymfileline", STR, {LONG}, 1, BF_STACK | BF_LINES, "ust_usymfileline"},
	{"print_ubacktrace_fileline", NONE, {0}, 0, BF_STACK | BF_LINES | BF_FRAMES,
		"ust_print_ubacktrace_fileline"},
	{"backtrace", STR, {0}, 0, BF_KERNEL, "ust_backtrace"},
	{"callers", STR, {LONG}, 1, BF_KERNEL, "ust_callers"},
	{"stack_size", LONG, {0}, 0, BF_KERNEL, "ust_stack_size"},
	{"stack_used", LONG, {0}, 0, BF_KERNEL, "ust_stack_used"},
	{"__gfp_name", STR, {LONG}, 1, BF_KERNEL, "ust_gfp_name"},
	{"addr_to_node", LONG, {LONG}, 1, BF_KERNEL, "ust_addr_to_node"},
	{"ftrace", NONE, {STR}, 1, BF_KERNEL, "ust_ftrace"},
	{"printk", NONE, {LONG, STR}, 2, KERNEL_CHANGE, "ust_printk"},
	{"dump_stack", NONE, {0}, 0, KERNEL_CHANGE, "ust_dump_stack"},
	{"panic", NONE, {STR}, 1, KERNEL_CHANGE, "ust_panic"},
	{"set_kernel_char", NONE, {LONG, LONG}, 2, KERNEL_CHANGE, "ust_set_kernel_char"},
	{"set_kernel_short", NONE, {LONG, LONG}, 2, KERNEL_CHANGE, "ust_set_kernel_short"},
	{"set_kernel_int", NONE, {LONG, LONG}, 2, KERNEL_CHANGE, "ust_set_kernel_int"},
	{"set_kernel_long", NONE, {LONG, LONG}, 2, KERNEL_CHANGE, "ust_set_kernel_long"},
	{"set_kernel_pointer", NONE, {LONG, LONG}, 2, KERNEL_CHANGE, "ust_set_kernel_long"},
	{"set_kernel_string", NONE, {LONG, STR}, 2, KERNEL_CHANGE, "ust_set_kernel_string"},
	{"set_kernel_string_n", NONE, {LONG, LONG, STR}, 3, KERNEL_CHANGE,
		"ust_set_kernel_string_n"},
	{"task_backtrace", STR, {LONG}, 1, BF_KERNEL, "ust_task_backtrace"},
	{"stack", LONG, {LONG}, 1, BF_KERNEL, "ust_stack"},
	{"print_backtrace", NONE, {0}, 0, BF_KERNEL, "ust_print_backtrace"},
	{"sprint_backtrace", STR, {0}, 0, BF_KERNEL, "ust_sprint_backtrace"},
	{"print_stack", NONE, {STR}, 1, BF_KERNEL, "ust_print_stack"},
	{"print_syms", NONE, {STR}, 1, BF_KERNEL, "ust_print_stack"},
	{"sprint_stack", STR, {STR}, 1, BF_KERNEL, "ust_sprint_stack"},
	{"sprint_syms", STR, {STR}, 1, BF_KERNEL, "ust_sprint_stack"},
	{"symname", STR, {LONG}, 1, BF_KERNEL, "ust_symname"},
	{"symdata", STR, {LONG}, 1, BF_KERNEL, "ust_symdata"},
	{"modname", STR, {LONG}, 1, BF_KERNEL, "ust_modname"},
	{"umodname", STR, {LONG}, 1, BF_STACK | BF_CAN_FAIL, "ust_umodname"},
	{"umodaddr", LONG, {LONG}, 1, BF_STACK | BF_CAN_FAIL, "ust_umodaddr"},
	{"umodbuildid", STR, {LONG}, 1, BF_STACK | BF_CAN_FAIL, "ust_umodbuildid"},

	{"__arg", LONG, {LONG}, 1, BF_CAN_FAIL | BF_READ | BF_REGS, "ust_arg"},
	{"returnval", LONG, {0}, 0, BF_CAN_FAIL | BF_READ | BF_REGS, "ust_returnval"},
	{"register", LONG, {STR}, 1, BF_CAN_FAIL | BF_READ | BF_REGS | BF_ALL_REGS, "ust_register"},
	{"u_register", LONG, {STR}, 1, BF_CAN_FAIL | BF_READ | BF_REGS | BF_ALL_REGS,
		"ust_u_register"},
	{"registers_valid", LONG, {0}, 0, PURE, "ust_registers_valid"},

	{"ktime_get_ns", LONG, {0}, 0, CLOCK, "ust_monotonic_ns"},
	{"get_cycles", LONG, {0}, 0, CLOCK, "ust_get_cycles"},
	{"__ctime", STR, {LONG}, 1, BF_CAN_FAIL, "ust_ctime"},
	{"jiffies", LONG, {0}, 0, CLOCK, "ust_jiffies"},
	{"HZ", LONG, {0}, 0, PURE, "ust_hz"},
	{"__loadavg", LONG, {LONG}, 1, 0, "ust_loadavg"},
	{"randint", LONG, {LONG}, 1, BF_CAN_FAIL, "ust_randint"},
	{"errno_str", STR, {LONG}, 1, PURE, "ust_errno_str"},
	{"signal_str", STR, {LONG}, 1, PURE, "ust_signal_str"},
	{"__net_name", STR, {LONG, LONG}, 2, PURE, "ust_net_name"},
	{"__net_number", LONG, {LONG, STR}, 2, PURE, "ust_net_number"},
	{"__call_names", STR, {LONG, LONG}, 2, PURE, "ust_call_names"},
	{"__call_name", STR, {LONG, LONG}, 2, PURE, "ust_call_name"},
	{"__call_number", LONG, {STR, LONG}, 2, PURE, "ust_call_number"},
	{"__compat_call", LONG, {0}, 0, PURE | BF_KERNEL, "ust_compat_call"},

	{"@uderef1", LONG, {LONG}, 1, READS, "ust_uderef1"},
	{"@uderef2", LONG, {LONG}, 1, READS, "ust_uderef2"},
	{"@uderef4", LONG, {LONG}, 1, READS, "ust_uderef4"},
	{"@uderef8", LONG, {LONG}, 1, READS, "ust_uderef8"},
	{"@kderef1", LONG, {LONG}, 1, BF_CAN_FAIL | BF_READ, "ust_kderef1"},
	{"@kderef2", LONG, {LONG}, 1, BF_CAN_FAIL | BF_READ, "ust_kderef2"},
	{"@kderef4", LONG, {LONG}, 1, BF_CAN_FAIL | BF_READ, "ust_kderef4"},
	{"@kderef8", LONG, {LONG}, 1, BF_CAN_FAIL | BF_READ, "ust_kderef8"},
	{"kernel_string", STR, {LONG}, 1, BF_CAN_FAIL | BF_READ, "ust_kernel_string"},
	{"kernel_string2", STR, {LONG, STR}, 2, BF_CAN_FAIL | BF_READ, "ust_kernel_string2"},
	{"kernel_string_n", STR, {LONG, LONG}, 2, BF_CAN_FAIL | BF_READ, "ust_kernel_string_n"},
	{"user_string", STR, {LONG}, 1, READS, "ust_user_string"},
	{"user_string2", STR, {LONG, STR}, 2, BF_USER_READ, "ust_user_string2"},
	{"user_string_n", STR, {LONG, LONG}, 2, READS, "ust_user_string_n"},
	{"user_buffer_quoted", STR, {LONG, LONG, LONG}, 3, BF_READ | BF_CAN_FAIL,
		"ust_user_buffer_quoted"},
	{"kernel_buffer_quoted", STR, {LONG, LONG, LONG}, 3, 0, "ust_kernel_buffer_quoted"},
	{"__kernel_string_utf", STR, {LONG, LONG}, 2, BF_CAN_FAIL, "ust_kernel_string_utf"},
	{"__user_string_utf", STR, {LONG, LONG}, 2, BF_CAN_FAIL, "ust_user_string_utf"},
	{"user_char", LONG, {LONG}, 1, READ, "ust_user_char"},
	{"user_short", LONG, {LONG}, 1, READ, "ust_user_short"},
	{"user_ushort", LONG, {LONG}, 1, READ, "ust_user_ushort"},
	{"user_int", LONG, {LONG}, 1, READ, "ust_user_int"},
	{"user_uint", LONG, {LONG}, 1, READ, "ust_user_uint"},
	{"user_long", LONG, {LONG}, 1, READ, "ust_user_long"},
	{"user_ulong", LONG, {LONG}, 1, READ, "ust_user_ulong"},
	{"user_int8", LONG, {LONG}, 1, READ, "ust_user_int8"},
	{"user_uint8", LONG, {LONG}, 1, READ, "ust_user_uint8"},
	{"user_int16", LONG, {LONG}, 1, READ, "ust_user_int16"},
	{"user_uint16", LONG, {LONG}, 1, READ, "ust_user_uint16"},
	{"user_int32", LONG, {LONG}, 1, READ, "ust_user_int32"},
	{"user_uint32", LONG, {LONG}, 1, READ, "ust_user_uint32"},
	{"user_int64", LONG, {LONG}, 1, READ, "ust_user_int64"},
	{"user_uint64", LONG, {LONG}, 1, READ, "ust_user_uint64"},

	{"strlen", LONG, {STR}, 1, PURE, "ust_strlen"},
	{"substr", STR, {STR, LONG, LONG}, 3, PURE, "ust_substr"},
	{"isinstr", LONG, {STR, STR}, 2, PURE, "ust_isinstr"},
	{"strtol", LONG, {STR, LONG}, 2, PURE, "ust_strtol"},
	{"strpos", LONG, {STR, STR}, 2, PURE, "ust_strpos"},
	{"stringat", LONG, {STR, LONG}, 2, BF_CAN_FAIL, "ust_stringat"},
	{"str_replace", STR, {STR, STR, STR}, 3, PURE, "ust_str_replace"},
	{"text_str", STR, {STR}, 1, PURE, "ust_text_str"},
	{"text_strn", STR, {STR, LONG, LONG}, 3, PURE, "ust_text_strn"},
	{"string_quoted", STR, {STR}, 1, PURE, "ust_string_quoted"},
	{"fp_add", LONG, {LONG, LONG}, 2, PURE, "ust_fp_add"},
	{"fp_sub", LONG, {LONG, LONG}, 2, PURE, "ust_fp_sub"},
	{"fp_mul", LONG, {LONG, LONG}, 2, PURE, "ust_fp_mul"},
	{"fp_div", LONG, {LONG, LONG}, 2, PURE, "ust_fp_div"},
	{"fp_rem", LONG, {LONG, LONG}, 2, PURE, "ust_fp_rem"},
	{"fp_sqrt", LONG, {LONG}, 1, PURE, "ust_fp_sqrt"},
	{"fp_eq", LONG, {LONG, LONG}, 2, PURE, "ust_fp_eq"},
	{"fp_lt", LONG, {LONG, LONG}, 2, PURE, "ust_fp_lt"},
	{"long_to_fp", LONG, {LONG}, 1, PURE, "ust_fp_from_long"},
	{"fp32_to_fp64", LONG, {LONG}, 1, PURE, "ust_fp_widen"},
	{"string_to_fp", LONG, {STR}, 1, PURE, "ust_fp_from_string"},
	{"fp_to_string", STR, {LONG, LONG}, 2, PURE | BF_DEEP, "ust_fp_to_string"},
	{"__fp_to_long", LONG, {LONG, LONG}, 2, PURE, "ust_fp_to_long"},

	{"set_user_char", NONE, {LONG, LONG}, 2, CHANGE, "ust_set_user_char"},
	{"set_user_short", NONE, {LONG, LONG}, 2, CHANGE, "ust_set_user_short"},
	{"set_user_int", NONE, {LONG, LONG}, 2, CHANGE, "ust_set_user_int"},
	{"set_user_long", NONE, {LONG, LONG}, 2, CHANGE, "ust_set_user_long"},
	{"set_user_pointer", NONE, {LONG, LONG}, 2, CHANGE, "ust_set_user_long"},
	{"set_user_string", NONE, {LONG, STR}, 2, CHANGE, "ust_set_user_string"},
	{"set_user_string_arg", NONE, {LONG, STR}, 2, CHANGE, "ust_set_user_string_arg"},
	{"set_user_string_n", NONE, {LONG, LONG, STR}, 3, CHANGE, "ust_set_user_string_n"},
	{"set_int_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg_s32"},
	{"set_s32_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg_s32"},
	{"set_uint_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg_u32"},
	{"set_u32_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg_u32"},
	{"set_long_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_ulong_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_longlong_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_ulonglong_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_pointer_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_s64_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_u64_arg", NONE, {LONG, LONG}, 2, CHANGE | BF_REGS, "ust_set_arg"},
	{"set_returnval", NONE, {LONG}, 1, CHANGE | BF_REGS, "ust_set_returnval"},
	{"raise", NONE, {LONG}, 1, CHANGE, "ust_raise"},
	{"mdelay", NONE, {LONG}, 1, CHANGE, "ust_mdelay"},
	{"udelay", NONE, {LONG}, 1, CHANGE, "ust_udelay"},

	{"__trace_indent", NONE, {LONG}, 1, 0, "ust_trace_indent"},
	{"__span_begin", NONE, {STR}, 1, 0, "ust_span_begin"},
	{"__span_end", NONE, {STR}, 1, 0, "ust_span_end"},
	{"__span_attribute", NONE, {STR, STR}, 2, 0, "ust_span_attribute"},
	{"__span_number", NONE, {STR, LONG}, 2, 0, "ust_span_number"},
	{"__span_error", NONE, {STR}, 1, 0, "ust_span_error"},
	{"__perf", LONG, {STR}, 1, BF_CAN_FAIL | BF_KERNEL, "ust_perf"},
	{"__netfilter_verdict", NONE, {LONG}, 1, KERNEL_CHANGE | BF_PACKET,
		"ust_netfilter_verdict"},
	{"__procfs_set", NONE, {STR}, 1, FILE, "ust_procfs_set"},
	{"__procfs_add", NONE, {STR}, 1, FILE, "ust_procfs_add"},
	{"__procfs_value", STR, {0}, 0, FILE, "ust_procfs_value"},
	{"system", NONE, {STR}, 1, 0, "ust_system"},
	{"switch_file", NONE, {0}, 0, 0, "ust_switch_file"},
	{"__call_event", NONE, {0}, 0, BF_USER | BF_HIT | BF_NO_CTX, "ust_call_event"},
	{"__call_values", NONE, {STR}, 1, BF_USER, "ust_call_values"},
	{"__calls_begin", NONE, {LONG}, 1, BF_USER, "ust_calls_begin"},
	{"__calls_window", NONE, {LONG}, 1, BF_USER, "ust_calls_window"},
	{"__calls_keep", NONE, {0}, 0, BF_USER, "ust_calls_keep"},
	{"__calls_end", NONE, {LONG}, 1, BF_USER, "ust_calls_end"},
	{"__next_wanted", LONG, {0}, 0, 0, "ust_next_wanted"},
	{"__tokenize", STR, {STR, STR}, 2, BF_TOKENS, "ust_tokenize"},
	{"matched", STR, {LONG}, 1, MATCH, "ust_matched"},
	{"matched_str", STR, {0}, 0, MATCH, "ust_matched_str"},
	{"ngroups", LONG, {0}, 0, MATCH, "ust_ngroups"},
};
/* clang-format on */

const struct builtin *builtin_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

void builtin_names(name_vec *out)
{
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
		if (!name_is_internal(builtins[i].name) && builtins[i].name[0] != '@')
			vec_push(out, builtins[i].name);
}

bool name_is_internal(const char *name) { return name[0] == '_' && name[1] == '_'; }
