/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of IPv6, each given to look(), and as text unless there is an argument. */
#include <arpa/inet.h>
#include <stdio.h>

__attribute__((noinline)) void look(const struct in6_addr *address) { __asm__ volatile("" : : "r"(address) : "memory"); }

int main(int argc, char **argv)
{
	static const char *const texts[] = {
		"::", "::1", "1::", "2001:db8::1", "2001:db8:0:1:1:1:1:1", "2001:0:0:1:0:0:0:1", "fe80::1:0:0:1",
		"::ffff:192.0.2.1", "::192.0.2.1", "1:2:3:4:5:6:7:8", "1:0:0:2:0:0:3:4",
	};
	char text[INET6_ADDRSTRLEN];
	struct in6_addr a;

	(void)argv;
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (inet_pton(AF_INET6, texts[i], &a) != 1)
			return 1;
		look(&a);
		if (argc == 1)
			puts(inet_ntop(AF_INET6, &a, text, sizeof text));
	}
	return 0;
}
