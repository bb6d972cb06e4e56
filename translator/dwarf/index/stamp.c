/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stamps of large cached files; see stamp.h. */
#include "stamp.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug_cache.h"

#define MAGIC "ustapin3"

struct stamp {
	char magic[8];
	uint64_t sum, size, ino;
	int64_t sec, nsec;
	char boot[40];
	uint64_t own; /* checksum of all before */
};

static void boot_id(char out[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(out, 0, 40);
	if (fd < 0 || read(fd, out, 36) != 36)
		memset(out, 0, 40);
	if (fd >= 0)
		close(fd);
}

static struct stamp stamp_of(int fd, uint64_t sum)
{
	struct stamp s = {.magic = MAGIC, .sum = sum};
	struct stat st;

	if (!fstat(fd, &st)) {
		s.size = (uint64_t)st.st_size;
		s.ino = st.st_ino;
		s.sec = st.st_mtim.tv_sec;
		s.nsec = st.st_mtim.tv_nsec;
	}
	boot_id(s.boot);
	s.own = debug_cache_checksum(&s, offsetof(struct stamp, own), 0);
	return s;
}

static void store(const char *key, const struct stamp *s)
{
	struct debug_cache_file k = debug_cache_find(key, "stamp");
	int fd = debug_cache_create(&k, sizeof *s);

	if (fd < 0 || !debug_cache_write(fd, s, sizeof *s, 0) || !debug_cache_publish(&k, fd))
		debug_cache_discard(&k);
	if (fd >= 0)
		close(fd);
}

void stamp_write(const char *key, int fd, uint64_t sum)
{
	struct stamp s = stamp_of(fd, sum);

	store(key, &s);
}

static bool load(const char *key, struct stamp *s)
{
	struct debug_cache_file k = debug_cache_find(key, "stamp");
	int fd = debug_cache_open(&k);
	char more;
	bool ok = fd >= 0 && read(fd, s, sizeof *s) == sizeof *s && read(fd, &more, 1) == 0 &&
		  !memcmp(s->magic, MAGIC, 8) &&
		  s->own == debug_cache_checksum(s, offsetof(struct stamp, own), 0);

	if (fd >= 0)
		close(fd);
	return ok;
}

bool stamp_sum(int fd, uint64_t size, uint64_t *sum)
{
	void *p = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

	if (p == MAP_FAILED)
		return false;
	*sum = debug_cache_checksum(p, size, 0);
	munmap(p, size);
	return true;
}

bool stamp_fits(int fd, const char *key, stamp_sum_fn sum_of)
{
	struct stamp was, now;
	uint64_t sum;

	if (!load(key, &was))
		return false;
	now = stamp_of(fd, was.sum);
	if (!memcmp(&was, &now, sizeof was) && *was.boot)
		return true;
	if (now.size != was.size || !sum_of(fd, now.size, &sum) || sum != was.sum)
		return false;
	store(key, &now);
	return true;
}
