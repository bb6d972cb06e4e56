/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment, and temporary directories. */
#ifndef USTAP_BASE_ENVIRONMENT_H
#define USTAP_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* The value of variable NAME, a path; for root NULL, with a warning, if others can change what it
 * names. */
const char *environment_path(const char *name);
/* Warn root that others can change PATH, which OPTION names and which decides what root's programs
 * do. */
void warn_untrusted(const char *option, const char *path);
/* Take out of root's environment what libraries would misuse. */
void environment_clean(void);
/* --tmpdir: the private directory is to be in DIR; false after an error. */
bool private_dir_in(const char *dir);
const char *private_dir(void);      /* of this process, made; NULL after an error */
const char *private_dir_made(void); /* NULL: it is not */
void private_dir_keep(void);        /* do not remove it at a signal that ends the process (-k) */
/* The directory, for the handler of such a signal; NULL: nothing is to be removed. */
const char *private_dir_at_signal(void);
void private_dir_forget(void); /* it was removed, or is left */
/* Remove the directory with its files if private_dir() has made it; with KEEP, print its path on
 * stderr instead (-k). */
void private_dir_remove(bool keep);

#endif
