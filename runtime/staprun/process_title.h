/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The title that ps(1) shows. */
#ifndef STAPRUN_PROCESS_TITLE_H
#define STAPRUN_PROCESS_TITLE_H

struct options;

/* Returns a copy of ARGV; its own memory, which ps(1) shows, is used by title_set(). */
char **title_take(int argc, char **argv);
/* Show the script's name instead of the options in ps(1). No effect without --name. */
void title_set(const struct options *o);

#endif
