/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of the language server: a struct, a function with parameters, a mark. */
#include <stdio.h>
#include <sys/sdt.h>

struct inner { int depth; };
struct request { const char *path; long size; struct inner in; struct request *next; };

__attribute__((noinline)) int serve_request(struct request *req, int flags)
{
	int status = flags ? 200 : 404;

	STAP_PROBE2(shop, sold, req->size, status);
	return status + (int)req->size;
}

int main(void)
{
	struct request r = {"/index.html", 17, {1}, NULL};

	printf("%d\n", serve_request(&r, 1));
	return 0;
}
