/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The title that ps(1) shows. */
#ifndef STAPRUN_PROCESS_TITLE_H
#define STAPRUN_PROCESS_TITLE_H

struct options;

/* A copy of ARGV, whose own memory, which ps(1) shows, gets the title of title_set(). */
char **title_take(int argc, char **argv);
/* Let ps(1) show the script's name in place of the options.  Nothing happens without --name. */
void title_set(const struct options *o);

#endif
