/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that come with ustap. */
#ifndef USTAP_BASE_INSTALLED_H
#define USTAP_BASE_INSTALLED_H

/* Directory of the data that comes with ustap, "runtime" or "tapsets": -R, $USTAP_RUNTIME or
 * $USTAP_TAPSETS, else of the build tree that this program is in, else the installed one. NULL
 * if it does not exist. */
const char *data_path(const char *what);
void runtime_sources_are(const char *dir); /* -R */
/* The archive that scripts for the user runtime are linked with: $USTAP_USER_RUNTIME, else the
 * one beside this program, else the installed one. NULL if it does not exist. */
const char *user_runtime_path(void);
/* The loader: $USTAP_STAPRUN, else beside this program, installed, or in $PATH; NULL. */
const char *staprun_path(void);
char *program_dir(void); /* of this program; "" if it cannot be known */

#endif
