/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a runtime and the loader say to each other.  The loader includes this
 * and nothing else of the runtime.  All numbers are in host order.
 *
 * Kernel runtime: a loaded script is /proc/ustap/NAME/ with
 *   ctl    write: struct ust_cmd; read: struct ust_status; poll: readable
 *          when the status changed since this file's last read
 *   cpuN   read: the records of CPU N, whole and in order (relay)
 */
#ifndef USTAP_WIRE_H
#define USTAP_WIRE_H

#include <linux/types.h>

#define UST_WIRE_VERSION 1
#define UST_PROC_DIR "ustap"
/* Every module that ustap builds has this key in .modinfo, with the wire version as value. */
#define UST_MODINFO_KEY "ustap"
/* Module names: prefix, 10 hex digits of the script, then 7 digits that staprun
 * replaces by its process id so that one script can run twice. */
#define UST_NAME_PREFIX "ustap_"
#define UST_NAME_FMT UST_NAME_PREFIX "%.10s_0000000"
/* Module parameter: buffer of each CPU in MB (staprun -s); the module has a default. */
#define UST_PARAM_BUFFER "buffer_mb"
/* The longest text of one record; a stream with a longer one is damaged. */
#define UST_REC_MAX (1u << 20)

enum ust_rec_type {
	UST_REC_OUT = 1,        /* text for standard output */
	UST_REC_WARN = 2,       /* text for standard error, "WARNING: " before it */
	UST_REC_ERROR = 3       /* text for standard error, "ERROR: " before it */
};

struct ust_rec {
	__u32 len;              /* bytes of text after this head; the next record follows, 8-byte aligned */
	__u16 type;             /* enum ust_rec_type */
	__u16 cpu;
	__u64 seq;              /* per CPU, from 0, without gaps unless records were lost */
	__u64 time;             /* ns, CLOCK_MONOTONIC; never decreases on one CPU */
};

enum ust_cmd_op {
	UST_CMD_START = 1,      /* register probes, run begin probes, then arm; returns when done */
	UST_CMD_STOP = 2,       /* disarm, run end (or error) probes; returns when done */
	UST_CMD_DETACH = 3      /* the reader goes away on purpose: keep running */
};

enum ust_cmd_flags { UST_START_FILTER = 1 /* hit only `target` */, UST_START_CHILDREN = 2 /* and its descendants */ };

struct ust_cmd {
	__u32 op;
	__u32 flags;
	__s64 target;           /* what target() gives; process id or 0 */
};

enum ust_state { UST_LOADED, UST_STARTING, UST_RUNNING, UST_STOPPING, UST_STOPPED };

struct ust_status {
	__u32 version;          /* UST_WIRE_VERSION */
	__u32 state;            /* enum ust_state */
	__u32 exit_requested;   /* exit() was called, or too many errors: send STOP */
	__u32 failed;           /* a run-time error ended the script: exit status 1 */
	__u64 errors;           /* run-time errors in handlers */
	__u64 skipped_context;  /* handlers not run: no free context */
	__u64 skipped_lock;     /* ... : a lock could not be taken */
	__u64 skipped_nested;   /* ... : hit inside a handler */
	__u64 lost_records;     /* buffers were full */
	__u64 lost_bytes;
	__u64 missed_returns;   /* return probes the kernel could not arm (depth limit) */
	__u32 ncpu;             /* files cpu0..cpu(ncpu-1); those of absent CPUs are missing */
	__u32 sites;            /* armed probe sites */
	__s64 target;           /* as START said */
};

#endif
