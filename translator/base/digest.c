/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SHA-256 of texts and files, by GNU Nettle. Digests name cache entries and detect damaged ones.
 *
 * Nettle starts in a tenth of the time of libcrypto, and reads neither configuration nor
 * environment.
 */
#include "digest.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "util.h"

static void finish(struct sha256_ctx *ctx, unsigned char out[DIGEST_SIZE])
{
#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(ctx, out);
#else
	sha256_digest(ctx, DIGEST_SIZE, out);
#endif
}

static void to_hex(const unsigned char digest[DIGEST_SIZE], char out[DIGEST_HEX])
{
	for (size_t i = 0; i < DIGEST_SIZE; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

void digest_bytes(const void *p, size_t n, unsigned char out[DIGEST_SIZE])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, n, p);
	finish(&ctx, out);
}

bool digest_file(int fd, char out[DIGEST_HEX])
{
	unsigned char digest[DIGEST_SIZE], buf[65536];
	struct sha256_ctx ctx;
	off_t at = 0;
	ssize_t n;

	sha256_init(&ctx);
	while ((n = pread(fd, buf, sizeof buf, at)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0) {
			sha256_update(&ctx, (size_t)n, buf);
			at += n;
		}
	finish(&ctx, digest);
	to_hex(digest, out);
	return n == 0;
}

/* Each part ends with its NUL, so that no two lists of parts are the same bytes. */
char *hash_hex(const char *const parts[], size_t n)
{
	unsigned char digest[DIGEST_SIZE];
	char *out = xalloc(DIGEST_HEX);
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	for (size_t i = 0; i < n; i++)
		sha256_update(&ctx, strlen(parts[i]) + 1, (const uint8_t *)parts[i]);
	finish(&ctx, digest);
	to_hex(digest, out);
	return out;
}
