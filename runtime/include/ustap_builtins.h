/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: the functions that emitted C calls for a script's functions. Part of ustap_rt.h, which
 * includes this file.
 *
 * Each is called as cname(c, [dst,] args...). One that returns a string takes a buffer of
 * ust_program.maxstringlen bytes and returns it or a constant; longer text is cut.
 *
 * A handler calls them between ust_enter() and ust_leave(); none of them sleeps, except that memory
 * of the probed process may be paged in where the handler may sleep (see ust_lock()). An error sets
 * c->failed and the result is 0 or "". doc/built_in.txt and tapsets/ describe the functions of the
 * language that call them.
 */
#ifndef USTAP_BUILTINS_H
#define USTAP_BUILTINS_H

/* Ids of the probed task: ust_pid(), ust_tid(), ust_ppid(), ust_uid(), ust_euid(), ust_gid(),
 * ust_egid(). Kernel runtime: in the initial namespaces; user runtime: in those of the process. In
 * begin, end and timer probes of the user runtime: those of staprun. */
ust_long ust_pid(struct ust_ctx *c);
ust_long ust_tid(struct ust_ctx *c);
ust_long ust_ppid(struct ust_ctx *c);
ust_long ust_uid(struct ust_ctx *c);
ust_long ust_euid(struct ust_ctx *c);
ust_long ust_gid(struct ust_ctx *c);
ust_long ust_egid(struct ust_ctx *c);
/* Number of the CPU that runs the handler. The user runtime can be preempted: the thread may move
 * to another one at any time. */
ust_long ust_cpu(struct ust_ctx *c);
/* The process of -x or -c; 0 without them. */
ust_long ust_target(struct ust_ctx *c);
/* 1 in return probes. */
ust_long ust_is_return(struct ust_ctx *c);
/* 1 if the hit is of a process, not a timer or the begin or end of the script;
 * ust_probing_32bit_app(): 1 if it runs 32-bit code. */
ust_long ust_user_mode(struct ust_ctx *c);
ust_long ust_probing_32bit_app(struct ust_ctx *c);
/* The address at which the process is: of the probe site or, in the kernel, where it will return
 * to user space; 0 if the hit has no registers. */
ust_long ust_uaddr(struct ust_ctx *c);
/* The address of the probe site, also in the kernel; 0 without one. */
ust_long ust_addr(struct ust_ctx *c);
/* Time since 1970 in the unit of the name: ust_gettimeofday_*(). */
ust_long ust_gettimeofday_s(struct ust_ctx *c);
ust_long ust_gettimeofday_ms(struct ust_ctx *c);
ust_long ust_gettimeofday_us(struct ust_ctx *c);
ust_long ust_gettimeofday_ns(struct ust_ctx *c);
/* Name of the probed task (comm, at most 15 bytes). */
const char *ust_execname(struct ust_ctx *c, char *dst);
/* The probe point of the hit, with wildcards resolved. */
const char *ust_pp(struct ust_ctx *c, char *dst);
/* Type of the hit in SystemTap's terms, such as "uprobe". */
const char *ust_probe_type(struct ust_ctx *c, char *dst);
/* "~" if sampled hits have added to global NUMBER, or to an element of it; else "". */
const char *ust_estimate_mark(struct ust_ctx *c, char *dst, ust_long number);
/* The character of an input probe; "" in other probes. */
const char *ust_input_char(struct ust_ctx *c, char *dst);
/* The probe point as the script has it: an alias by its name. */
const char *ust_pn(struct ust_ctx *c, char *dst);
/* The label, and the function, of the probe point, "" without one: ust_pnlabel(), ust_ppfunc(),
 * ust_probefunc(). */
const char *ust_pnlabel(struct ust_ctx *c, char *dst);
const char *ust_ppfunc(struct ust_ctx *c, char *dst);
const char *ust_probefunc(struct ust_ctx *c, char *dst);
/* Strings in the kernel's memory: at most a string's size, or N bytes. ust_kernel_string() and
 * ust_kernel_string_n() fail if they cannot be read, ust_kernel_string2() returns ALT. */
const char *ust_kernel_string(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_kernel_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt);
const char *ust_kernel_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n);
/* The same in the probed process: ust_user_string(), ust_user_string2(), ust_user_string_n(). */
const char *ust_user_string(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_user_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt);
const char *ust_user_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n);
/* ust_*_buffer_quoted(): INLEN bytes at ADDR in quotes with escape sequences, at most OUTLEN bytes
 * of text; the address in hexadecimal if they cannot be read. */
const char *ust_user_buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				   ust_long outlen);
const char *ust_kernel_buffer_quoted(struct ust_ctx *c, char *dst, ust_long addr, ust_long inlen,
				     ust_long outlen);
/* ust_*_string_utf(): a UTF-16 (UNIT 2) or UTF-32 (UNIT 4) string as UTF-8. Fail if it cannot be
 * read. */
const char *ust_user_string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit);
const char *ust_kernel_string_utf(struct ust_ctx *c, char *dst, ust_long addr, ust_long unit);
/* ust_user_*(): a number in the probed process with the size and sign of the type; 0 without an
 * error if it cannot be read. */
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
/* The result register of the returned function; fails in probes without registers. */
ust_long ust_returnval(struct ust_ctx *c);
/* Register NAME ("rax", "eax" ...) of the hit: ust_register() with its sign extended,
 * ust_u_register() with zeros. They fail for an unknown name, and without registers. */
ust_long ust_register(struct ust_ctx *c, const char *name);
ust_long ust_u_register(struct ust_ctx *c, const char *name);
/* 1 if ust_register() can read registers. */
ust_long ust_registers_valid(struct ust_ctx *c);
/*
 * Properties of tasks for ust_task() and ust_task_at(). Times are in nanoseconds, amounts of memory
 * in pages. tapsets/task.stp and tapsets/proc_mem.stp use these numbers.
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
	UST_TASK_TID = UST_TASK_LIMITS + UST_TASK_NLIMITS,
	/* as the scheduler counts: CPU time, and time ready to run without a CPU */
	UST_TASK_CPU_TIME,
	UST_TASK_RUN_DELAY,
	/* number of the system call that it is in; -1: in none, or not known */
	UST_TASK_SYSCALL
};
/* FIELD (enum ust_task_field) of the task with thread ID; 0 if it does not exist. */
ust_long ust_task(struct ust_ctx *c, ust_long id, ust_long field);
/* Name (comm) of the task with thread ID; "" if it does not exist. */
const char *ust_task_name(struct ust_ctx *c, char *dst, ust_long id);
/*
 * Properties of tasks by handle: the address of struct task_struct in the kernel runtime, the
 * thread id in the user runtime. UST_TASK_PARENT is a handle, too. ust_task_current(): of the
 * probed task; ust_task_of_id(): 0 if no task has this id. ust_task_at() and ust_task_name_at():
 * as ust_task() and ust_task_name().
 */
ust_long ust_task_current(struct ust_ctx *c);
ust_long ust_task_of_id(struct ust_ctx *c, ust_long id);
ust_long ust_task_at(struct ust_ctx *c, ust_long task, ust_long field);
const char *ust_task_name_at(struct ust_ctx *c, char *dst, ust_long task);
/* Process group and session of the probed task: ust_pgrp(), ust_sid(). */
ust_long ust_pgrp(struct ust_ctx *c);
ust_long ust_sid(struct ust_ctx *c);
/* Process id of staprun. */
ust_long ust_stp_pid(struct ust_ctx *c);
/* Name (comm) of the parent of the probed task. */
const char *ust_pexecname(struct ust_ctx *c, char *dst);
/* Arguments FIRST to LAST, or all from FIRST on if LAST is smaller. */
const char *ust_cmdline_args(struct ust_ctx *c, char *dst, ust_long first, ust_long last,
			     const char *delimiter);
/* Value of the environment variable NAME, as it was when the program was executed; "" if it was
 * not set. */
const char *ust_env_var(struct ust_ctx *c, char *dst, const char *name);
/* Date and time of SECONDS since 1970 in UTC, as ctime(3) without the newline. Fails outside the
 * years that it can show. */
const char *ust_ctime(struct ust_ctx *c, char *dst, ust_long seconds);
/* CLOCK_MONOTONIC in nanoseconds. */
ust_long ust_monotonic_ns(struct ust_ctx *c);
/* Cycle counter (TSC) of the CPU. */
ust_long ust_get_cycles(struct ust_ctx *c);
/* Ticks of the kernel's timer since boot: ust_hz() of them a second. The user runtime counts 250 a
 * second from the monotonic clock. */
ust_long ust_jiffies(struct ust_ctx *c);
ust_long ust_hz(struct ust_ctx *c);
/* Load average of 1, 5, 15 minutes, in hundredths. */
ust_long ust_loadavg(struct ust_ctx *c, ust_long i);
/* The count of the counter NAME for this thread, or else this CPU; fails if it was not counted. */
ust_long ust_perf(struct ust_ctx *c, const char *name);
/* Set the verdict V (NF_ACCEPT ...) on the packet of a netfilter probe; fails in other probes. */
void ust_netfilter_verdict(struct ust_ctx *c, ust_long v);
/* A pseudo-random number from 0 to N - 1; not for secrets. Fails for N below 1 or above 2^20. */
ust_long ust_randint(struct ust_ctx *c, ust_long n);
/* Symbolic name of the error ERR ("ENOENT"), "E#N" if it is unknown. */
const char *ust_errno_str(struct ust_ctx *c, char *dst, ust_long err);
/* Symbolic name of signal NUMBER ("SIGTERM"). */
const char *ust_signal_str(struct ust_ctx *c, char *dst, ust_long number);
/* ust_net_*(): names of address families, socket types and so on, and their numbers; TABLE is one
 * of tapsets/socket.stp. */
const char *ust_net_name(struct ust_ctx *c, char *dst, ust_long table, ust_long n);
ust_long ust_net_number(struct ust_ctx *c, ust_long table, const char *name);
/*
 * Symbolic names of VALUE, a system call's argument, from this set of
 * common/builtins/call_names_table.h.
 */
const char *ust_call_names(struct ust_ctx *c, char *dst, ust_long set, ust_long value);
/*
 * ust_call_name(), ust_call_number(): system calls by number, with COMPAT those of 32-bit programs;
 * "" and -1 if NUMBER or NAME is unknown.
 */
const char *ust_call_name(struct ust_ctx *c, char *dst, ust_long number, ust_long compat);
ust_long ust_call_number(struct ust_ctx *c, const char *name, ust_long compat);
ust_long ust_compat_call(struct ust_ctx *c); /* true if this hit is a 32-bit system call */
/*
 * Backtraces of the probed thread: addresses in hexadecimal, the innermost first; ust_ucallers()
 * returns at most N callers (-1: all), ust_ustack() address number N, and fails if the stack is not
 * as deep. ust_print_ubacktrace*() and ust_sprint_ubacktrace() write the functions, one on a line.
 */
const char *ust_ubacktrace(struct ust_ctx *c, char *dst);
const char *ust_ucallers(struct ust_ctx *c, char *dst, ust_long n);
ust_long ust_ustack(struct ust_ctx *c, ust_long n);
void ust_print_ubacktrace(struct ust_ctx *c);
void ust_print_ubacktrace_brief(struct ust_ctx *c);
const char *ust_sprint_ubacktrace(struct ust_ctx *c, char *dst);
/* ust_print_ubacktrace*_from(): the same from a frame with the registers PC, SP and FP. */
void ust_print_ubacktrace_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp);
void ust_print_ubacktrace_fileline_from(struct ust_ctx *c, ust_long pc, ust_long sp, ust_long fp);
/* ust_*print_ustack(): the functions at the addresses in STACK, hexadecimal numbers as
 * ust_ubacktrace() returns them. */
void ust_print_ustack(struct ust_ctx *c, const char *stack);
const char *ust_sprint_ustack(struct ust_ctx *c, char *dst, const char *stack);
/* ust_usym*(): the function at ADDR of the probed process; with offset, size and module; source
 * file and line; ADDR in hexadecimal if it is not known. */
const char *ust_usymname(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymdata(struct ust_ctx *c, char *dst, ust_long addr);
/* The file that is mapped at ADDR: ust_umodname() its path, ust_umodaddr() the offset of ADDR from
 * its first byte, ust_umodbuildid() its build-id in hexadecimal. They fail if no file is mapped
 * there. */
const char *ust_umodname(struct ust_ctx *c, char *dst, ust_long addr);
ust_long ust_umodaddr(struct ust_ctx *c, ust_long addr);
const char *ust_umodbuildid(struct ust_ctx *c, char *dst, ust_long addr);
/* ust_usym*(): see ust_usymname(). */
const char *ust_usymfile(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymline(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_usymfileline(struct ust_ctx *c, char *dst, ust_long addr);
/* As ust_print_ubacktrace(), with source file and line. */
void ust_print_ubacktrace_fileline(struct ust_ctx *c);
/* Kernel runtime only, from here to ust_modname(). ust_backtrace(), ust_callers(): addresses of the
 * kernel's stack at a kernel probe, "" elsewhere; with at most N callers (-1: all).
 * ust_task_backtrace(): of the task with handle TASK, "" while it runs on another CPU. */
const char *ust_backtrace(struct ust_ctx *c, char *dst);
const char *ust_callers(struct ust_ctx *c, char *dst, ust_long n);
const char *ust_task_backtrace(struct ust_ctx *c, char *dst, ust_long task);
/* Size of a kernel stack in bytes, and how much of it is in use at the probe: ust_stack_size(),
 * ust_stack_used(). */
ust_long ust_stack_size(struct ust_ctx *c);
ust_long ust_stack_used(struct ust_ctx *c);
/* Names of the allocation FLAGS (gfp_t), separated by "|". */
const char *ust_gfp_name(struct ust_ctx *c, char *dst, ust_long flags);
/* NUMA node of the kernel address ADDR; -1 if it is not known. */
ust_long ust_addr_to_node(struct ust_ctx *c, ust_long addr);
/* ust_set_kernel_*(): write to the kernel's memory in guru mode; fail if it is not writable.
 * ust_set_kernel_string_n() writes at most N bytes of TEXT, and a NUL. */
void ust_set_kernel_char(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_short(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_int(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_long(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_kernel_string(struct ust_ctx *c, ust_long addr, const char *text);
void ust_set_kernel_string_n(struct ust_ctx *c, ust_long addr, ust_long n, const char *text);
/* Write a line to the kernel's trace buffer. */
void ust_ftrace(struct ust_ctx *c, const char *text);
/* Write a line to the kernel's log with LEVEL 0 (emergency) to 7 (debug); ust_dump_stack(): the
 * kernel's backtrace. Guru mode. */
void ust_printk(struct ust_ctx *c, ust_long level, const char *text);
void ust_dump_stack(struct ust_ctx *c);
/* panic() with TEXT: the machine stops. Guru mode. */
void ust_panic(struct ust_ctx *c, const char *text);
/* Address number N of ust_backtrace(); 0 if the stack is not as deep. */
ust_long ust_stack(struct ust_ctx *c, ust_long n);
/* Functions of the kernel's stack, one on a line: ust_print_backtrace(), ust_sprint_backtrace();
 * ust_print_stack(), ust_sprint_stack(): of the addresses in STACK. */
void ust_print_backtrace(struct ust_ctx *c);
const char *ust_sprint_backtrace(struct ust_ctx *c, char *dst);
void ust_print_stack(struct ust_ctx *c, const char *stack);
const char *ust_sprint_stack(struct ust_ctx *c, char *dst, const char *stack);
/* ust_sym*(): the kernel function or variable at ADDR, ust_symdata() with offset, size and module;
 * ADDR in hexadecimal if it is not known. ust_modname(): its module, "kernel" of vmlinux. */
const char *ust_symname(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_symdata(struct ust_ctx *c, char *dst, ust_long addr);
const char *ust_modname(struct ust_ctx *c, char *dst, ust_long addr);
/* Length in bytes. */
ust_long ust_strlen(struct ust_ctx *c, const char *s);
/* LENGTH bytes of S from START on; "" if START is outside of S. */
const char *ust_substr(struct ust_ctx *c, char *dst, const char *s, ust_long start,
		       ust_long length);
/* 1 if S contains SUB. */
ust_long ust_isinstr(struct ust_ctx *c, const char *s, const char *sub);
/* The number that S begins with, in BASE as for strtol(3); 0 if S begins with none. */
ust_long ust_strtol(struct ust_ctx *c, const char *s, ust_long base);
/* Offset of the first SUB in S; -1 if not found. */
ust_long ust_strpos(struct ust_ctx *c, const char *s, const char *sub);
/* Byte number POS of S, from 0; fails outside of S. */
ust_long ust_stringat(struct ust_ctx *c, const char *s, ust_long pos);
/* S with each FROM replaced by TO. */
const char *ust_str_replace(struct ust_ctx *c, char *dst, const char *s, const char *from,
			    const char *to);
/* S with escape sequences for bytes that cannot be printed; ust_text_strn(): at most MAX bytes (0:
 * as many as fit), in quotes if QUOTED, with "..." after them if it was cut; ust_string_quoted():
 * in quotes. */
const char *ust_text_str(struct ust_ctx *c, char *dst, const char *s);
const char *ust_text_strn(struct ust_ctx *c, char *dst, const char *s, ust_long max,
			  ust_long quoted);
const char *ust_string_quoted(struct ust_ctx *c, char *dst, const char *s);
/* In procfs probes: ust_procfs_set() sets the text that the reader of the file gets,
 * ust_procfs_add() appends to it; ust_procfs_value() returns the text that was written to it. */
void ust_procfs_set(struct ust_ctx *c, const char *text);
void ust_procfs_add(struct ust_ctx *c, const char *text);
const char *ust_procfs_value(struct ust_ctx *c, char *dst);
/* Requests to the loader, in order with the output: ust_system() runs COMMAND in a shell,
 * ust_switch_file() begins the next output file (-S). */
void ust_system(struct ust_ctx *c, const char *command);
void ust_switch_file(struct ust_ctx *c);
/*
 * A recording of calls (wire_calls.h), in the user runtime. ust_calls_begin(): start it, at most
 * MAX bytes, 0: without limit. ust_calls_window(): keep only the last US microseconds of each
 * thread before ust_calls_keep(). ust_calls_end(): write the rest; unless TRIGGERED, the last
 * window. ust_call_event(): the function of the site is entered or returns; needs no context.
 */
void ust_calls_begin(struct ust_ctx *c, ust_long max);
void ust_calls_window(struct ust_ctx *c, ust_long us);
void ust_calls_keep(struct ust_ctx *c);
void ust_calls_end(struct ust_ctx *c, ust_long triggered);
void ust_call_event(struct ust_hit *hit);
/* The same with the values in TEXT, of which UST_CALLS_TEXT_MAX bytes are recorded. */
void ust_call_values(struct ust_ctx *c, const char *text);
/* ust_set_user_*(): write to the probed process's memory in guru mode; fail if it is not writable.
 * ust_set_user_string() writes S and a NUL, ust_set_user_string_n() at most N bytes of S and a NUL.
 */
void ust_set_user_char(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_short(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_int(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_long(struct ust_ctx *c, ust_long addr, ust_long v);
void ust_set_user_string(struct ust_ctx *c, ust_long addr, const char *s);
/* Warns without an error if the memory is not writable. */
void ust_set_user_string_arg(struct ust_ctx *c, ust_long addr, const char *s);
/* See ust_set_user_string(). */
void ust_set_user_string_n(struct ust_ctx *c, ust_long addr, ust_long n, const char *s);
/* Send SIGNAL to the probed thread, delivered after the handler. Guru mode. */
void ust_raise(struct ust_ctx *c, ust_long signal);
/* ust_set_arg*(), ust_set_returnval(): change the values that ust_arg() and ust_returnval() read,
 * of 64 bits, or 32 bits with and without sign. Guru mode. */
void ust_set_arg(struct ust_ctx *c, ust_long n, ust_long v);
void ust_set_arg_s32(struct ust_ctx *c, ust_long n, ust_long v);
void ust_set_arg_u32(struct ust_ctx *c, ust_long n, ust_long v);
void ust_set_returnval(struct ust_ctx *c, ust_long v);
/* Delay the handler, busy: at most 1000 ms, or 10^6 us: ust_mdelay(), ust_udelay(). Guru mode. */
void ust_mdelay(struct ust_ctx *c, ust_long ms);
void ust_udelay(struct ust_ctx *c, ust_long us);
/*
 * ust_fp_*(): floating-point numbers, as the bits of a double. Rounding MODE: 0 nearest even, 1 to
 * 0, 2 down, 3 up, 4 nearest and away from 0, 5 and 6 odd. A result out of range of ust_long
 * becomes the smallest one.
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
/* Group N of the last match, 0 for all of it; ust_matched_str(): all of it; ust_ngroups(): number
 * of groups, one more for all of it. They fail if nothing has matched. */
const char *ust_matched(struct ust_ctx *c, char *dst, ust_long n);
const char *ust_matched_str(struct ust_ctx *c, char *dst);
ust_long ust_ngroups(struct ust_ctx *c);

#endif
