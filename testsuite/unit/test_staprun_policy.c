/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Policies of approved modules (runtime/staprun/session/policy.c): parsing, permissions, and
 * rejection of damaged ones. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output_format.h"
#include "options.h"
#include "session/policy.h"
#include "staprun_check.h"

static const char good[] = "# for the operators\n"
			   "global limit number 1 0x10\n"
			   "global path text /srv/*\t# not elsewhere\n"
			   "\n"
			   "global any\n"
			   "option -c -x --monitor\n"
			   "buffer 8\n"
			   "time 60\n"
			   "own-processes\n";

static bool parses(const char *text)
{
	struct policy p;
	bool ok = policy_parse(&p, "x.policy", text, strlen(text));

	policy_free(&p);
	return ok;
}

static void damaged(void)
{
	static const char *const bad[] = {
		"time 60",
		"time\n",
		"time 0\n",
		"time -1\n",
		"time 1 2\n",
		"time 1\ntime 2\n",
		"time 99999999999\n",
		"time 1x\n",
		"buffer 5000\n",
		"global\n",
		"global 1x\n",
		"global x number\n",
		"global x number 2 1\n",
		"global x number 1\n",
		"global x number a b\n",
		"global x number 1 2 3\n",
		"global x\nglobal x\n",
		"global x text\n",
		"global x other\n",
		"option\n",
		"option -d\n",
		"option --nothing\n",
		"option c\n",
		"own-processes now\n",
		"own-process\n",
		"GLOBAL x\n",
		"time 1\r\n",
		"time \x01\n",
		"global x\x80\n",
		"\xff\n",
	};
	bool all = true;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (parses(bad[i])) {
			all = false;
			printf("# accepted: %s\n", bad[i]);
		}
	check(all, "each damaged policy is refused", "one was accepted");
	check(!policy_parse(&(struct policy){0}, "x", "time 1\0\n", 8), "a NUL is refused",
	      "accepted");
	check(parses("") && parses("# nothing\n\n \t\n"), "an empty one is a policy", "refused");
}

/* A run of o with this policy. */
static bool permits(const char *text, struct options *o)
{
	struct policy p;
	bool ok = policy_parse(&p, "x.policy", text, strlen(text)) && policy_permits(&p, o);

	policy_free(&p);
	return ok;
}

static struct options with(char **given, size_t n)
{
	return (struct options){.module = "x.ko",
				.command = "true",
				.format = format_find("text"),
				.given = given,
				.ngiven = n};
}

static bool permits_given(const char *given)
{
	char *v[] = {(char *)given};
	struct options o = with(v, 1);

	return permits(good, &o);
}

static void values(void)
{
	check(permits_given("limit=1") && permits_given("limit=16") && permits_given("limit=0x0f"),
	      "numbers in their range", "refused");
	check(!permits_given("limit=0") && !permits_given("limit=17") &&
		      !permits_given("limit=-1") && !permits_given("limit=") &&
		      !permits_given("limit=1 ") && !permits_given("limit=x") &&
		      !permits_given("limit=18446744073709551617"),
	      "other values", "permitted");
	check(permits_given("path=/srv/x") && !permits_given("path=/etc/shadow") &&
		      !permits_given("path="),
	      "patterns", "wrong");
	check(permits_given("any=") && permits_given("any=-7"), "any value", "refused");
	check(!permits_given("other=1") && !permits_given("limi=1") && !permits_given("limit2=1"),
	      "other globals", "permitted");
}

static void options(void)
{
	struct options o = with(NULL, 0);

	check(permits(good, &o) && o.seconds == 60 && o.buffer_mb == 8 && o.own, "limits are set",
	      "not set");
	o = with(NULL, 0);
	o.seconds = 61;
	check(!permits(good, &o), "longer than permitted", "permitted");
	o.seconds = 59;
	check(permits(good, &o) && o.seconds == 59, "shorter than permitted", "refused");
	o.buffer_mb = 9;
	check(!permits(good, &o), "larger than permitted", "permitted");
	o = with(NULL, 0);
	o.output = "file";
	check(!permits(good, &o), "an option that is not named", "permitted");
	o = with(NULL, 0);
	o.command = NULL;
	check(!permits(good, &o), "no process", "permitted");
	o = with(NULL, 0);
	o.leave = true;
	check(!permits("option -c -L\ntime 5\n", &o) && permits("option -c -L\n", &o),
	      "-L with a time", "permitted");
	o = with(NULL, 0);
	check(!permits("", &o), "an empty policy", "permits -c");
}

/* Bytes changed, removed and inserted: no crash, and no more options than the policy has. */
static void fuzz(void)
{
	char text[sizeof good + 8];

	for (int i = 0; i < 50000; i++) {
		size_t n = sizeof good - 1;
		struct options o = with(NULL, 0);
		struct policy p;

		memcpy(text, good, sizeof good);
		for (unsigned k = random64() % 4 + 1; k; k--)
			text[random64() % n] = (char)(random64() % 3
							      ? " \t\n#0x-/*ag"[random64() % 11]
							      : (int)(random64() & 255));
		n -= random64() % 3 ? 0 : random64() % n;
		if (policy_parse(&p, "x.policy", text, n))
			policy_permits(&p, &o);
		policy_free(&p);
	}
	check(true, "50,000 damaged policies", "");
}

int main(void)
{
	drop_messages();
	damaged();
	values();
	options();
	fuzz();
	restore_messages();
	return failed != 0;
}
