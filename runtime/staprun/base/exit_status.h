/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses of staprun, and the length of names of modules. */
#ifndef STAPRUN_BASE_EXIT_STATUS_H
#define STAPRUN_BASE_EXIT_STATUS_H

/* Exit statuses; also in doc/staprun.8. */
enum {
	EXIT_OK = 0,
	EXIT_SCRIPT = 1, /* a run-time error ended the script */
	EXIT_USAGE = 2,
	EXIT_LOAD = 3,       /* refused, or could not be loaded, started or found */
	EXIT_LOST = 4,       /* output was lost; with --strict, also other losses */
	EXIT_NOT_HIT = 5,    /* --expect-hits: a probe was not hit */
	EXIT_TIMEOUT = 124,  /* as for timeout(1) */
	EXIT_NOT_EXEC = 126, /* as in shells */
	EXIT_NOT_FOUND = 127
};

/* MODULE_NAME_LEN of 64-bit kernels, with the NUL */
#define NAME_SIZE 56

#endif
