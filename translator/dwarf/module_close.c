/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of all modules, their indexes and their split units. */
#include <unistd.h>

#include "dwarf.h"
#include "base/crash_guard.h"

static void close_module(struct module *m)
{
	module_index_close(m);
	dwfl_end(m->dwfl);
	close(m->fd);
	if (m->shared) {
		dwarf_end(m->shared);
		close(m->shared_fd);
	}
}

void modules_close(void)
{
	guard_reading(NULL);
	split_close();
	modules_remove(close_module);
}
