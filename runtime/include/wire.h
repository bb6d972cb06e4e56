/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wire format: commands, status and records between a runtime and the loader. The loader includes
 * this header and nothing else of the runtime. All numbers are in host byte order. Commands, status
 * and records are the same for both runtimes.
 *
 * Kernel runtime: a loaded script is /proc/ustap/NAME/ with
 *   ctl    write: struct ust_cmd; read: struct ust_status; poll: readable
 *          when the status changed since this file's last read
 *   cpuN   read: the records of CPU N, whole and in order (relay)
 */
#ifndef USTAP_WIRE_H
#define USTAP_WIRE_H

#include <linux/types.h>

/* -------------------------------------------------------------------- names */

#define UST_WIRE_VERSION 21
#define UST_PROC_DIR     "ustap"
/* Every module built by ustap has this key in .modinfo, with the wire version as value. */
#define UST_MODINFO_KEY "ustap"
/* Module names: prefix, 10 hex digits of the script, then 7 digits that staprun replaces by its
 * process id so that one script can run twice. */
#define UST_NAME_PREFIX "ustap_"
#define UST_NAME_FMT    UST_NAME_PREFIX "%.10s_0000000"
/* Module parameter: buffer size per CPU in MB (staprun -s); the module has a default. */
#define UST_PARAM_BUFFER "buffer_mb"

/* ------------------------------------------------------------------- orders */

enum ust_cmd_op {
	UST_CMD_START = 1,  /* register probes, run begin probes, then arm; returns when done */
	UST_CMD_STOP = 2,   /* disarm, run end (or error) probes; returns when done */
	UST_CMD_DETACH = 3, /* the reader leaves on purpose: keep running */
	UST_CMD_SET = 4,    /* before START: set a global; struct ust_cmd is followed by its name
			     * and the value, each with its NUL; `target' is the value as an
			     * integer, if flags contain UST_SET_NUMBER. ENOENT: not found, EISDIR:
			     * not a scalar, EDOM: it is an integer, ENAMETOOLONG */
	UST_CMD_VIEW = 5,   /* while it runs: do what `flags' say (enum ust_view_flags), then write
			     * records of globals and hit counts */
	UST_CMD_INPUT = 8,  /* while it runs, if ust_status.input: run the input probes for each of
			     * `flags' characters, the bytes of `target' from the lowest on */
	UST_CMD_ATTACH = 7, /* a reader has attached: resume, if the script was paused */
	UST_CMD_MERGE = 10, /* before START: struct ust_cmd is followed by a line of the records of
			     * globals with its NUL; `flags' is UST_MERGE_SEND or _RELOAD of
			     * wire_agent.h. EOPNOTSUPP: the script was built without such
			     * records; ENOENT, ENOSPC, EINVAL: UST_MERGE_ABSENT, _FULL, _BAD */
	UST_CMD_NAMESPACES = 9, /* before START: ns_*() return ids in the namespaces of process
				 * `target', not in those of the process that starts. ESRCH */
	UST_CMD_SYMBOLS = 6     /* before START, if ust_status.symbols is not 0: struct ust_cmd is
				 * followed by some lines of /proc/kallsyms */
};
/* Maximum number of characters of UST_CMD_INPUT. */
#define UST_INPUT_CHARS 4u
#define UST_SET_NUMBER  1u
/* Maximum number of bytes after struct ust_cmd. */
#define UST_SET_MAX (64u << 10)

enum ust_cmd_flags {
	UST_START_FILTER = 1 /* only hits of `target` */,
	UST_START_CHILDREN = 2 /* and its descendants */,
	UST_START_COMMAND = 4 /* which has not called exec yet */,
	UST_START_OWN = 8 /* with UST_START_FILTER: only while it has the ids of the caller, and
			   * no capabilities; else EACCES */
};

/* UST_CMD_STOP: write records of the globals instead of running end probes. */
#define UST_STOP_SEND 1u

enum ust_view_flags {
	UST_VIEW_RESET = 1, /* set the script's globals to their initial values */
	UST_VIEW_OFF = 2,   /* switch off the probe of the index `target', as in struct ust_count;
			     * -1: all but begin, end and error probes */
	UST_VIEW_ON = 4,    /* switch it on again, or all */
	UST_VIEW_SEND = 8   /* only write records of the globals, for --globals */
};

struct ust_cmd {
	__u32 op;
	__u32 flags;
	__s64 target; /* value of target(); process id or 0 */
};

enum ust_state { UST_LOADED, UST_STARTING, UST_RUNNING, UST_STOPPING, UST_STOPPED };

struct ust_status {
	__u32 version;         /* UST_WIRE_VERSION */
	__u32 state;           /* enum ust_state */
	__u32 exit_requested;  /* exit() was called, or too many errors occurred: send STOP */
	__u32 failed;          /* a run-time error ended the script: exit status 1 */
	__u64 errors;          /* run-time errors in handlers */
	__u64 skipped_context; /* handlers not run: no free context */
	__u64 skipped_stack;   /* ... : too little kernel stack left */
	__u64 skipped_nested;  /* ... : hit inside a handler */
	__u64 lost_records;    /* dropped because buffers were full */
	__u64 lost_bytes;
	__u64 missed_returns; /* return probes that the kernel could not arm (depth limit) */
	__u64 made_callers;   /* ... that were not armed: the caller is code made at run time */
	__u64 copied_stacks;  /* ... : the program copies parts of its stacks */
	__u64 other_stacks;   /* ... : the stack is not the thread's own */
	__u32 ncpu;           /* files cpu0..cpu(ncpu-1); those of absent CPUs are missing */
	__u32 sites;          /* armed probe sites */
	__s64 target;         /* as given with START */
	__u64 unplaced;       /* sites that could not be armed in at least one process */
	__u64 symbols;     /* before START: number of kernel symbols requested; 0: the module looks
			    * them up itself */
	__u64 cut_strings; /* strings longer than string_max, which were cut */
	__u64 name_key;    /* key of marks around names; 0: the script writes none */
	__u32 string_max;  /* length of the longest string: MAXSTRINGLEN - 1 */
	__u32 unfollowed;  /* exec calls in traced processes that could not be reported to the
			    * loader */
	__u32 paused;      /* its loader was killed: no handler runs until UST_CMD_ATTACH */
	__u32 pauses;      /* number of pauses */
	__u32 slow_reads;  /* processes whose memory is read through system calls, because they
			    * have changed their fault handlers; user runtime */
	__u32 input;       /* the script has input probes: the loader reads standard input */
	/* failed look-ups in the memory map of a program, which was being changed; kernel
	 * runtime */
	__u64 missed_lookups;
};

#endif
