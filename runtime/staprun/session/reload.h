/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replacement of the running script by another build of it (--reload). */
#ifndef STAPRUN_SESSION_RELOAD_H
#define STAPRUN_SESSION_RELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct options;
struct run;

/* State of a run with --reload. */
struct reload {
	bool wanted; /* SIGHUP has arrived */
	pid_t pid;   /* of the command that makes the new script; 0: none */
	int out;     /* its output: */
	char path[4096];
	size_t n;
	int script, old;  /* descriptors of the new and of the running script; 0: none */
	bool ready;       /* the new script can be run */
	bool going;       /* the run ends only for that */
	uint64_t stopped; /* CLOCK_MONOTONIC, ns: when it was ordered to stop */
};

/* Note the words that started staprun, ARGC of which are its own, before the title of the process
 * replaces them. */
void reload_take_words(int argc);
/* False, after a message: they are not known. */
bool reload_possible(void);

/* True if the command has to be started: SIGHUP has arrived while the script runs. */
bool reload_due(const struct run *r);
/* Start it; reload_fd() becomes readable. */
void reload_start(struct run *r);
/* The descriptor to wait for, -1: none; reload_take() reads from it. */
int reload_fd(const struct run *r);
void reload_take(struct run *r);
/* The script is about to be stopped: true if another one replaces it. */
bool reload_stops(struct run *r);
/* The probes are armed: release what was needed to go back. */
void reload_settled(struct run *r);
/* End the command, if it runs. */
void reload_end(struct run *r);

/* Start the new script with the descriptors of the records of the globals and of the output (0:
 * standard output), and the exit status of this run. Returns only on failure, after a message. */
void reload_run_next(struct run *r, int globals, int output, int status);
/* The script of O, which a reload has started, could not be run: start the former one. Returns if
 * that is not possible. */
void reload_go_back(const struct options *o);

#endif
