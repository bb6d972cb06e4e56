/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps.c: the memory map of a process, and gaps in it. */
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"

#include <string.h>

int main(void)
{
	struct maps m;
	const struct mapping *map;
	uint64_t at, here = (uint64_t)&main;

	check(maps_read(&m, getpid()) && (map = maps_at(&m, here)) && map->exec &&
		      strstr(map->path, "test_maps"),
	      "maps: own text", "not found");
	check(maps_named(&m, "[vdso]") && maps_named(&m, "[stack]") && !maps_at(&m, 0),
	      "maps: names", "missing");
	at = maps_gap(&m, here - (1u << 30), here + (1u << 30), here, 65536);
	check(at && !maps_at(&m, at) && !maps_at(&m, at + 65535) && at + (1u << 30) >= here &&
		      at % 4096 == 0,
	      "maps: room nearby", "wrong");
	maps_add(&m, at, 65536);
	check(maps_at(&m, at) && maps_gap(&m, at, at + 65536, at, 4096) == 0, "maps: taken then",
	      "still free");
	check(maps_gap(&m, 0, 4096, 0, 4096) == 0, "maps: nothing at zero", "something");
	maps_free(&m);
	check(!maps_read(&m, 999999999), "maps: no process", "read");
	return failed != 0;
}
