/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of the language server: a struct, a function with parameters, a mark. */
#include <stdio.h>

/* shop:sold, as sys/sdt.h would make it, with two arguments in registers */
#define SOLD(size, status) __asm__ volatile( \
	"990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n.4byte 992f-991f, 994f-993f" \
	", 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, base, 0\n.asciz \"shop\"" \
	"\n.asciz \"sold\"\n.asciz \"-8@%0 -4@%1\"\n994: .balign 4\n.popsection\n.pushsection " \
	".stapsdt.base,\"a\",@progbits\nbase: .space 1\n.popsection\n" \
	::"r"(size), "r"(status))

struct inner { int depth; };
struct request { const char *path; long size; struct inner in; struct request *next; };

__attribute__((noinline)) int serve_request(struct request *req, int flags)
{
	int status = flags ? 200 : 404;

	SOLD(req->size, status);
	return status + (int)req->size;
}

int main(void)
{
	struct request r = {"/index.html", 17, {1}, NULL};

	printf("%d\n", serve_request(&r, 1));
	return 0;
}
