/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: the functions that emitted C calls for a script's functions. Part of ustap_rt.h, which
 * includes this file.
 *
 * Each is called as cname(c, [dst,] args...). One that returns a string takes a buffer of
 * ust_program.maxstringlen bytes and returns it or a constant.
 */
#ifndef USTAP_BUILTINS_H
#define USTAP_BUILTINS_H

ust_long ust_pid(struct ust_ctx *c);
ust_long ust_tid(struct ust_ctx *c);
ust_long ust_ppid(struct ust_ctx *c);
ust_long ust_uid(struct ust_ctx *c);
ust_long ust_euid(struct ust_ctx *c);
ust_long ust_gid(struct ust_ctx *c);
ust_long ust_egid(struct ust_ctx *c);
ust_long ust_cpu(struct ust_ctx *c);
ust_long ust_target(struct ust_ctx *c);
ust_long ust_is_return(struct ust_ctx *c);
ust_long ust_user_mode(struct ust_ctx *c);
ust_long ust_probing_32bit_app(struct ust_ctx *c);
ust_long ust_uaddr(struct ust_ctx *c);
ust_long ust_addr(struct ust_ctx *c); /* address of the probe site, also in the kernel */
ust_long ust_gettimeofday_s(struct ust_ctx *c);
ust_long ust_gettimeofday_ms(struct ust_ctx *c);
ust_long ust_gettimeofday_us(struct ust_ctx *c);
ust_long ust_gettimeofday_ns(struct ust_ctx *c);
const char *ust_execname(struct ust_ctx *c, char *dst);
const char *ust_pp(struct ust_ctx *c, char *dst);
const char *ust_probe_type(struct ust_ctx *c, char *dst);
const char *ust_pn(struct ust_ctx *c, char *dst);
const char *ust_pnlabel(struct ust_ctx *c, char *dst);
const char *ust_ppfunc(struct ust_ctx *c, char *dst);
const char *ust_probefunc(struct ust_ctx *c, char *dst);
/* Strings in the kernel's memory. */
const char *ust_kernel_string(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_kernel_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt);
const char *ust_kernel_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n);
const char *ust_user_string(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_user_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt);
const char *ust_user_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n);
/* The text of a buffer in quotes, at most OUTLEN bytes; its address if it cannot be read. */
const char *ust_user_buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				   ust_long outlen);
const char *ust_kernel_buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				     ust_long outlen);
/* Convert a string with units of 2 or 4 bytes to UTF-8. */
const char *ust_user_string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit);
const char *ust_kernel_string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit);
/* These return 0 without an error if the memory cannot be read. */
ust_long ust_user_char(struct ust_ctx *c, ust_long addr);
ust_long ust_user_short(struct ust_ctx *c, ust_long addr);
ust_long ust_user_ushort(struct ust_ctx *c, ust_long addr);
ust_long ust_user_int(struct ust_ctx *c, ust_long addr);
ust_long ust_user_uint(struct ust_ctx *c, ust_long addr);
ust_long ust_user_long(struct ust_ctx *c, ust_long addr);
ust_long ust_user_ulong(struct ust_ctx *c, ust_long addr);
ust_long ust_user_int8(struct ust_ctx *c, ust_long addr);
ust_long ust_user_uint8(struct ust_ctx *c, ust_long addr);
ust_long ust_user_int16(struct ust_ctx *c, ust_long addr);
ust_long ust_user_uint16(struct ust_ctx *c, ust_long addr);
ust_long ust_user_int32(struct ust_ctx *c, ust_long addr);
ust_long ust_user_uint32(struct ust_ctx *c, ust_long addr);
ust_long ust_user_int64(struct ust_ctx *c, ust_long addr);
ust_long ust_user_uint64(struct ust_ctx *c, ust_long addr);
/* Argument N, from 1, of the function that is entered; fails in probes without registers. */
ust_long ust_arg(struct ust_ctx *c, ust_long n);
ust_long ust_returnval(struct ust_ctx *c);
ust_long ust_register(struct ust_ctx *c, const char *name);
ust_long ust_u_register(struct ust_ctx *c, const char *name);
ust_long ust_registers_valid(struct ust_ctx *c);
/*
 * A property of the task with thread ID; 0 if it does not exist. Times are in nanoseconds, amounts
 * of memory in pages. tapsets/task.stp and tapsets/proc_mem.stp use these numbers.
 */
enum ust_task_field {
	UST_TASK_PID,
	UST_TASK_UID,
	UST_TASK_EUID,
	UST_TASK_GID,
	UST_TASK_EGID,
	UST_TASK_PARENT,
	UST_TASK_STATE,
	UST_TASK_UTIME,
	UST_TASK_STIME,
	UST_TASK_PRIO,
	UST_TASK_NICE,
	UST_TASK_CPU,
	UST_TASK_START,
	UST_TASK_SIZE,
	UST_TASK_RSS,
	UST_TASK_SHARED,
	UST_TASK_TEXT,
	UST_TASK_DATA,
	/* blocked signals; number of open files, and of available descriptors */
	UST_TASK_BLOCKED,
	UST_TASK_FILES,
	UST_TASK_MAX_FILES,
	/* in staprun's namespaces */
	UST_TASK_NS_PID,
	UST_TASK_NS_TID,
	UST_TASK_NS_PARENT,
	UST_TASK_NS_PGRP,
	UST_TASK_NS_SID,
	UST_TASK_NS_UID,
	UST_TASK_NS_EUID,
	UST_TASK_NS_GID,
	UST_TASK_NS_EGID,
	/* from here on resource limits, numbered as in setrlimit(2) */
	UST_TASK_LIMITS,
	UST_TASK_NLIMITS = 16,
	UST_TASK_TID = UST_TASK_LIMITS + UST_TASK_NLIMITS
};
ust_long ust_task(struct ust_ctx *c, ust_long id, ust_long field);
const char *ust_task_name(struct ust_ctx *c, char *dst, ust_long id);
/*
 * Properties of tasks by handle: the kernel runtime uses addresses, the user runtime thread ids.
 * The parent is a handle, too.
 */
ust_long ust_task_current(struct ust_ctx *c);
ust_long ust_task_of_id(struct ust_ctx *c, ust_long id);
ust_long ust_task_at(struct ust_ctx *c, ust_long task, ust_long field);
const char *ust_task_name_at(struct ust_ctx *c, char *dst, ust_long task);
ust_long ust_pgrp(struct ust_ctx *c);
ust_long ust_sid(struct ust_ctx *c);
ust_long ust_stp_pid(struct ust_ctx *c);
const char *ust_pexecname(struct ust_ctx *c, char *dst);
/* Arguments FIRST to LAST, or all from FIRST on if LAST is smaller. */
const char *ust_cmdline_args(struct ust_ctx *c, char *dst, ust_long first, ust_long last,
			     const char *delimiter);
const char *ust_env_var(struct ust_ctx *c, char *dst, const char *name);
const char *ust_ctime(struct ust_ctx *c, char *dst, ust_long seconds);
ust_long ust_monotonic_ns(struct ust_ctx *c);
ust_long ust_get_cycles(struct ust_ctx *c);
ust_long ust_jiffies(struct ust_ctx *c);
ust_long ust_hz(struct ust_ctx *c);
/* Load average of 1, 5, 15 minutes, in hundredths. */
ust_long ust_loadavg(struct ust_ctx *c, ust_long i);
/* The count of the counter NAME for this thread, or else this CPU; fails if it was not counted. */
ust_long ust_perf(struct ust_ctx *c, const char *name);
void ust_netfilter_verdict(struct ust_ctx *c, ust_long v);
ust_long ust_randint(struct ust_ctx *c, ust_long n);
const char *ust_errno_str(struct ust_ctx *c, char *dst, ust_long err);
const char *ust_signal_str(struct ust_ctx *c, char *dst, ust_long number);
/* Names of address families, socket types and so on; TABLE is one of tapsets/socket.stp. */
const char *ust_net_name(struct ust_ctx *c, char *dst, ust_long table, ust_long n);
ust_long ust_net_number(struct ust_ctx *c, ust_long table, const char *name);
/*
 * Symbolic names of VALUE, a system call's argument, from this set of
 * common/builtins/call_names_table.h.
 */
const char *ust_call_names(struct ust_ctx *c, char *dst, ust_long set, ust_long value);
/*
 * System calls by number, with COMPAT those of 32-bit programs; "" and -1 if NUMBER or NAME is
 * unknown.
 */
const char *ust_call_name(struct ust_ctx *c, char *dst, ust_long number, ust_long compat);
ust_long ust_call_number(struct ust_ctx *c, const char *name, ust_long compat);
ust_long ust_compat_call(struct ust_ctx *c); /* true if this hit is a 32-bit system call */
/*
 * Backtraces of the probed thread: addresses in hexadecimal; with N, at most N callers (-1: all).
 */
const char *ust_ubacktrace(struct ust_ctx *c, char *dst);
const char *ust_ucallers(struct ust_ctx *c, char *dst, ust_long n);
ust_long ust_ustack(struct ust_ctx *c, ust_long n);
void ust_print_ubacktrace(struct ust_ctx *c);
void ust_print_ubacktrace_brief(struct ust_ctx *c);
const char *ust_sprint_ubacktrace(struct ust_ctx *c, char *dst);
/* Names of addresses; STACK is a text of hexadecimal numbers. */
void ust_print_ubacktrace_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp);
void ust_print_ubacktrace_fileline_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp);
void ust_print_ustack(struct ust_ctx *c, const char *stack);
const char *ust_sprint_ustack(struct ust_ctx *c, char *dst, const char *stack);
const char *ust_usymname(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymdata(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_umodname(struct ust_ctx *c, char *dst, ust_long addr);
ust_long ust_umodaddr(struct ust_ctx *c, ust_long addr);
const char *ust_umodbuildid(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymfile(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymline(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymfileline(struct ust_ctx *c, char *dst, ust_long addr);
void ust_print_ubacktrace_fileline(struct ust_ctx *c);
/* Backtraces of the kernel's stack, in kernel probes; only in the kernel runtime. */
const char *ust_backtrace(struct ust_ctx *c, char *dst);
const char *ust_callers(struct ust_ctx *c, char *dst, ust_long n);
const char *ust_task_backtrace(struct ust_ctx *c, char *dst, ust_long task);
ust_long ust_stack_size(struct ust_ctx *c);
ust_long ust_stack_used(struct ust_ctx *c);
const char *ust_gfp_name(struct ust_ctx *c, char *dst, ust_long flags);
ust_long ust_addr_to_node(struct ust_ctx *c, ust_long addr);
void ust_set_kernel_char(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_short(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_int(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_long(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_string(struct ust_ctx *c, ust_long addr, const char *text);
void ust_set_kernel_string_n(struct ust_ctx *c, ust_long addr, ust_long n, const char *text);
void ust_ftrace(struct ust_ctx *c, const char *text);
void ust_printk(struct ust_ctx *c, ust_long level, const char *text);
void ust_dump_stack(struct ust_ctx *c);
void ust_panic(struct ust_ctx *c, const char *text);
ust_long ust_stack(struct ust_ctx *c, ust_long n);
void ust_print_backtrace(struct ust_ctx *c);
const char *ust_sprint_backtrace(struct ust_ctx *c, char *dst);
void ust_print_stack(struct ust_ctx *c, const char *stack);
const char *ust_sprint_stack(struct ust_ctx *c, char *dst, const char *stack);
const char *ust_symname(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_symdata(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_modname(struct ust_ctx *c, char *dst, ust_long addr);
ust_long ust_strlen(struct ust_ctx *c, const char *s);
const char *ust_substr(struct ust_ctx *c, char *dst, const char *s, ust_long start,
		       ust_long length);
ust_long ust_isinstr(struct ust_ctx *c, const char *s, const char *sub);
ust_long ust_strtol(struct ust_ctx *c, const char *s, ust_long base);
ust_long ust_strpos(struct ust_ctx *c, const char *s, const char *sub);
ust_long ust_stringat(struct ust_ctx *c, const char *s, ust_long pos);
const char *ust_str_replace(struct ust_ctx *c, char *dst, const char *s, const char *from,
			    const char *to);
const char *ust_text_str(struct ust_ctx *c, char *dst, const char *s);
const char *ust_text_strn(struct ust_ctx *c, char *dst, const char *s, ust_long max,
			  ust_long quoted);
const char *ust_string_quoted(struct ust_ctx *c, char *dst, const char *s);
/* Set the text that a reader of a procfs file gets; get the text written to one. */
void ust_procfs_set(struct ust_ctx *c, const char *text);
void ust_procfs_add(struct ust_ctx *c, const char *text);
const char *ust_procfs_value(struct ust_ctx *c, char *dst);
/* The loader runs COMMAND in a shell; further output goes to its next file. */
void ust_system(struct ust_ctx *c, const char *command);
void ust_switch_file(struct ust_ctx *c);
/* For guru mode: writes to the probed process's memory, signals to the probed thread, delays. */
void ust_set_user_char(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_short(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_int(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_long(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_string(struct ust_ctx *c, ust_long addr, const char *s);
/* Warns without an error if the memory is not writable. */
void ust_set_user_string_arg(struct ust_ctx *c, ust_long addr, const char *s);
void ust_set_user_string_n(struct ust_ctx *c, ust_long addr, ust_long n, const char *s);
void ust_raise(struct ust_ctx *c, ust_long signal);
/* Change the values that ust_arg() and ust_returnval() read. */
void ust_set_arg(struct ust_ctx *c, ust_long n, ust_long v);
void ust_set_arg_s32(struct ust_ctx *c, ust_long n, ust_long v);
void ust_set_arg_u32(struct ust_ctx *c, ust_long n, ust_long v);
void ust_set_returnval(struct ust_ctx *c, ust_long v);
void ust_mdelay(struct ust_ctx *c, ust_long ms);
void ust_udelay(struct ust_ctx *c, ust_long us);
/*
 * Floating-point numbers: the bits of a double. Rounding MODE: 0 nearest even, 1 to 0, 2 down, 3
 * up, 4 nearest and away from 0, 5 and 6 odd. A result out of range of ust_long becomes the
 * smallest one.
 */
ust_long ust_fp_add(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_sub(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_mul(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_div(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_rem(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_sqrt(struct ust_ctx *c, ust_long a);
ust_long ust_fp_eq(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_lt(struct ust_ctx *c, ust_long a, ust_long b);
ust_long ust_fp_from_long(struct ust_ctx *c, ust_long v);
ust_long ust_fp_to_long(struct ust_ctx *c, ust_long a, ust_long mode);
ust_long ust_fp_widen(struct ust_ctx *c, ust_long a);
ust_long ust_fp_from_string(struct ust_ctx *c, const char *s);
const char *ust_fp_to_string(struct ust_ctx *c, char *dst, ust_long a, ust_long digits);
/*
 * The next token of INPUT, or if that is empty of the previous input, delimited by characters of
 * DELIM.
 */
const char *ust_tokenize(struct ust_ctx *c, char *dst, const char *input, const char *delim);
/* Groups of the last match; they fail without one. */
const char *ust_matched(struct ust_ctx *c, char *dst, ust_long n);
const char *ust_matched_str(struct ust_ctx *c, char *dst);
ust_long ust_ngroups(struct ust_ctx *c);

#endif
