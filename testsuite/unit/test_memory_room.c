/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_room.c: limits of control groups of both versions, from files like those of the kernel. */
#include "base/memory_room.h"
#include "staprun_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/test_memory_room.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (!text) {
		unlink(path);
		return;
	}
	f = fopen(path, "w");
	if (!f)
		exit(2);
	fputs(text, f);
	fclose(f);
}

static void expect(int version, uint64_t swap, uint64_t bytes, const char *what)
{
	char text[64];
	uint64_t room = memory_room_of_group(dir, version, swap, UINT64_MAX - 1);

	snprintf(text, sizeof text, "%llu", (unsigned long long)room);
	check(room == bytes, what, text);
}

static void test_version_2(void)
{
	put("memory.max", "max\n");
	put("memory.current", "4096\n");
	expect(2, 0, UINT64_MAX, "2: no limit");
	put("memory.max", "10000\n");
	expect(2, 0, 5904, "2: without statistics");
	put("memory.stat", "anon 4096\nfile 900\ninactive_anon 1000\nactive_anon 20\n"
			   "inactive_file 300\nactive_file 7\nunevictable 5\n");
	expect(2, 0, 6211, "2: page cache");
	expect(2, 500, 6711, "2: some swap");
	expect(2, 50000, 7231, "2: more swap than there is to write to it");
	put("memory.swap.max", "100\n");
	put("memory.swap.current", "60\n");
	expect(2, 50000, 6251, "2: limited swap");
	put("memory.swap.max", "max\n");
	expect(2, 50000, 7231, "2: swap without a limit");
	put("memory.current", "20000\n");
	expect(2, 0, 307, "2: over the limit");
	put("memory.current", "4096\n");
	check(memory_room_of_group(dir, 2, 0, 5904) == 5904, "2: free memory is enough", dir);
	put("memory.max", "no number\n");
	expect(2, 0, UINT64_MAX, "2: a file with something else");
	put("memory.max", NULL);
	expect(2, 0, UINT64_MAX, "2: no file, as for the first group");
	put("memory.current", NULL);
	put("memory.swap.max", NULL);
	put("memory.swap.current", NULL);
}

static void test_version_1(void)
{
	put("memory.limit_in_bytes", "9223372036854771712\n");
	put("memory.usage_in_bytes", "1000\n");
	expect(1, 0, UINT64_MAX, "1: no limit");
	put("memory.limit_in_bytes", "3000\n");
	put("memory.stat", "inactive_file 1\nactive_anon 2\ntotal_inactive_anon 100\n"
			   "total_inactive_file 30\ntotal_active_file 5\n");
	expect(1, 0, 2035, "1: statistics with the groups within");
	put("memory.memsw.limit_in_bytes", "3060\n");
	put("memory.memsw.usage_in_bytes", "3010\n");
	expect(1, 1000, 85, "1: memory and swap together");
	put("memory.memsw.limit_in_bytes", "5060\n");
	expect(1, 1000, 2085, "1: swap beyond the limit of both");
	put("memory.memsw.limit_in_bytes", "9060\n");
	expect(1, 1000, 2135, "1: swap within the limit of both");
	put("memory.limit_in_bytes", NULL);
	put("memory.usage_in_bytes", NULL);
	put("memory.memsw.limit_in_bytes", NULL);
	put("memory.memsw.usage_in_bytes", NULL);
	put("memory.stat", NULL);
}

static void test_mounts(void)
{
	static const struct {
		const char *line, *root, *point;
		int version; /* 0: none */
	} v[] = {
		{"30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate", "/",
		 "/sys/fs/cgroup", 2},
		{"33 25 0:29 /docker/1 /sys/fs/cgroup/memory ro shared:9 - cgroup cgroup rw,memory",
		 "/docker/1", "/sys/fs/cgroup/memory", 1},
		{"33 25 0:29 / /cg rw - cgroup none rw,cpu,memory,hugetlb", "/", "/cg", 1},
		{"33 25 0:29 / /cg rw - cgroup none rw,cpuset,memory_other", "", "", 0},
		{"33 25 0:29 / /my\\040groups rw - cgroup2 none rw", "", "", 0},
		{"22 1 8:1 / / rw - ext4 /dev/sda1 rw,memory", "", "", 0},
		{"22 1 8:1 /", "", "", 0},
		{"", "", "", 0},
	};
	char root[PATH_MAX], point[PATH_MAX];

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		for (int version = 1; version <= 2; version++) {
			bool is = memory_group_mount(v[i].line, version, root, point);

			check(is == (version == v[i].version), "a mount", v[i].line);
			if (is)
				check(!strcmp(root, v[i].root) && !strcmp(point, v[i].point),
				      "its directories", v[i].line);
		}
}

static void test_paths(void)
{
	static const struct {
		const char *line, *path;
		int version;
	} v[] = {
		{"0::/user.slice", "/user.slice", 2},
		{"0::/user.slice", NULL, 1},
		{"9:memory:/a:b", "/a:b", 1},
		{"9:memory:/a", NULL, 2},
		{"4:cpu,memory:/x", "/x", 1},
		{"4:memory_other,cpu:/x", NULL, 1},
		{"1:name=systemd:/x", NULL, 1},
		{"4:", NULL, 1},
		{"", NULL, 2},
	};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		const char *path = memory_group_path(v[i].line, v[i].version);

		check(path && v[i].path ? !strcmp(path, v[i].path) : path == v[i].path, "a path",
		      v[i].line);
	}
}

int main(void)
{
	struct memory_room r;

	if (!mkdtemp(dir))
		return 2;
	test_version_2();
	test_version_1();
	rmdir(dir);
	test_mounts();
	test_paths();
	r = memory_room(getpid(), 1);
	check(r.bytes && r.bytes < UINT64_MAX, "this process has some room", r.machine ? "m" : "g");
	return failed != 0;
}
