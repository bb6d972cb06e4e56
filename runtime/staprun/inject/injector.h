/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's part of the user runtime: state of a run that all traced processes share.
 *
 *   tracer.c    the process that does all tracing; it outlives a killed staprun and cleans up
 *   event_fd.c  event descriptors between the processes of a run
 *
 *   elf/        files and images
 *     elffile.c    what an ELF file says
 *     blob.c       a built script: mapped in the loader, started
 *     blobfile.c   the file of a built script: checked, relocated
 *     vdso.c       functions of the vDSO
 *   ptrace/     a stopped process, whatever it is stopped for
 *     tracee.c     stop, look, let go
 *     remote.c     system calls made by a stopped process
 *     send_fd.c    descriptors passed to a stopped process
 *     launch.c     from exec to the first instruction of the program
 *     maps.c       /proc/PID/maps
 *     disposition.c        how a process handles a signal
 *     proc_status.c        what /proc/PID/status says
 *     seccomp.c            which processes have the same seccomp filters
 *     trace_permission.c   why a process may not be traced, in words
 *   arch/       machine code; the only folder that knows an instruction set
 *     decode_x86_64.c, relocate_x86_64.c, stub_x86_64.c, calls_x86_64.c
 *   patch/      probe sites of a process: planned, armed, disarmed
 *     patched_file.c   files that are patched, and their probe sites
 *     patch.c          room for a jump at an instruction
 *     arm.c            one mapped file: trampolines made, text patched
 *     arm_plan.c       ... planned before
 *     area.c           memory for trampolines, near the text they belong to
 *     text_write.c     bytes of text, and threads that stand in them
 *     hook.c           places that the runtime itself watches
 *     signal_hooks.c   ... system calls that change signal handlers and masks
 *     gate.c           conditions of probes: which sites are to be armed
 *     semaphore.c      counters that tell a program that it is probed
 *     faults.c         SIGSEGV and SIGBUS
 *     trap.c           SIGTRAP: breakpoints
 *     watched.c        data that is watched by debug registers
 *     module_map.c     where a process has mapped the script's modules, for unwinding
 *     returns.c        replaced return addresses
 *     patch_record.c   what a later run needs to remove what this one leaves behind
 *   process/    traced processes
 *     process.c        one process: inject, patch what it has mapped
 *     gated_text.c     text put back while the conditions of its probes do not hold
 *     fork_child.c     forked children, which have all that their parent has
 *     follow.c         processes that stay traced, for scripts that probe their events
 *     program_starts.c processes that execute one program, traced from their start
 *     watch.c          debug registers of the threads of processes
 *     process_events.c these events, to the script process and back
 *     death_channel.c  deaths of traced processes, on their way to staprun
 *     detach.c         everything removed again
 *     leftover.c       what earlier runs have left behind
 *     untraced.c       descendants that are not traced and run a probed program
 *     without_hits.c   files that no process has mapped; programs under valgrind
 *     credentials.c    which processes may share the script's memory
 *     request.c        what processes ask for
 *     broker.c         memory of the subject of an event, for the script process
 *   script/     the process that runs the script's own probes
 *     script_channel.c the process that runs the script's own probes, as the tracer sees it
 */
#ifndef USTAP_INJECT_INJECTOR_H
#define USTAP_INJECT_INJECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire_agent.h"

struct blob;
struct credentials;
struct file;
struct followed;
struct launching;
struct process;
struct starts;

/* State common to all processes of a run. */
struct script;
struct watched;

/* Sender of a request, and since when this has been seen to be answered and not released,
 * CLOCK_MONOTONIC ns; 0: it is not. */
struct sender {
	pid_t pid;
	uint64_t since;
};

struct injector {
	struct blob *blob;
	struct file **files; /* the first are those of the script, by module number */
	size_t nfiles;
	uint32_t *order; /* sites by address, as in shared memory */
	size_t norder;
	uint32_t *fileless; /* sites whose files do not exist */
	size_t nfileless;
	struct process *processes;
	struct launching *launches; /* processes about to call exec */
	bool returns;               /* the script has return probes */
	bool dismissing;            /* no request is served any more */
	uint32_t late_modules;      /* ust_shared.late_modules, as far as served */
	bool ran;                   /* a traced process has reached its program */
	bool translated;            /* ... which executes translated code: see translated_warn() */
	unsigned sites;             /* number armed in some process */
	unsigned unplaced;          /* number that could not be armed in some process */
	struct script *script;
	struct credentials *floor; /* the least privileges that a process with the script's
				    * memory has had; NULL: no process yet */
	struct followed *followed; /* follow.c */
	bool events;               /* their events count */
	struct starts *starts;     /* program_starts.c; NULL: without --follow */
	struct gate *gates;
	uint32_t ngates;
	bool gates_stale;        /* the code of some process does not match the gates */
	bool gates_turned;       /* some were closed or opened */
	uint64_t gates_due;      /* when to check them, CLOCK_MONOTONIC ns; ~0: on request */
	struct watched *watches; /* watched.c */
	size_t nwatches;
	unsigned watches_missed; /* accesses whose handlers could not run */
	uint64_t profile_due;    /* when to look at the threads next: profile.c */
	unsigned samples_missed; /* samples whose handlers could not run */
	struct sender senders[UST_REQUESTS];
	int deaths, status; /* pipe to staprun; eventfd that wakes it */
};

#endif
