/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: command line and environment of the probed process, which the kernel stores next to
 * each other in its memory at exec. Unreadable memory counts as the end. The process can move their
 * bounds (prctl(PR_SET_MM_MAP)), so all reads are bounded; see target_read.c.
 */
#include "common.h"

/* Reads memory from AT on, several bytes at a time. */
struct scan {
	struct ust_ctx *c;
	u64 at, end;
	u64 word; /* bytes at `at', `have' of them valid */
	u32 have;
};

static bool scan_start(struct scan *s, struct ust_ctx *c, bool environment)
{
	*s = (struct scan){.c = c};
	target_begin(c);
	return port_process_strings(c, environment, &s->at, &s->end) && s->at < s->end;
}

/* The next byte; -1 at the end. */
static int scan_next(struct scan *s)
{
	int ch;

	if (s->at >= s->end)
		return -1;
	if (!s->have) {
		s->have = s->at % 8 || s->end - s->at < 8 ? 1 : 8;
		if (!target_read(s->c, s->at, s->have, &s->word)) {
			s->end = s->at;
			return -1;
		}
	}
	ch = s->word & 0xff;
	s->word >>= 8;
	s->have--;
	s->at++;
	return ch;
}

/* Skip to after the next NUL; false at the end. */
static bool scan_skip(struct scan *s)
{
	int ch;

	do
		ch = scan_next(s);
	while (ch > 0);
	return s->at < s->end;
}

/* Copy to O up to the next NUL. */
static void scan_copy(struct scan *s, struct ust_out *o)
{
	char piece;
	int ch;

	while ((ch = scan_next(s)) > 0) {
		piece = (char)ch;
		ust_put(o, &piece, 1);
	}
}

/* A long command line is cut at the maximum string length. */
static bool is_full(const struct ust_out *o) { return o->p >= o->end; }

const char *ust_cmdline_args(struct ust_ctx *c, char *dst, ust_long first, ust_long last,
			     const char *delimiter)
{
	struct ust_out o;
	struct scan s;
	ust_long i;

	ust_out_string(&o, dst);
	if (first >= 0 && scan_start(&s, c, false)) {
		for (i = 0; i < first && scan_skip(&s); i++)
			;
		for (; s.at < s.end; i++) {
			if (is_full(&o)) {
				out_cut(&o);
				break;
			}
			if (i > first)
				ust_put_s(&o, delimiter);
			scan_copy(&s, &o);
			if (i == last)
				break;
		}
	}
	ust_out_finish(&o);
	return dst;
}

/* True if the variable at S is named NAME; S is at its value then, else before its end. */
static bool is_called(struct scan *s, const char *name)
{
	int ch = 1;

	while (*name && (ch = scan_next(s)) == (unsigned char)*name)
		name++;
	if (*name) {
		if (ch > 0)
			scan_skip(s);
		return false;
	}
	ch = scan_next(s);
	if (ch > 0 && ch != '=')
		scan_skip(s);
	return ch == '=';
}

const char *ust_env_var(struct ust_ctx *c, char *dst, const char *name)
{
	struct ust_out o;
	struct scan s;

	ust_out_string(&o, dst);
	if (*name && scan_start(&s, c, true))
		while (s.at < s.end)
			if (is_called(&s, name)) {
				scan_copy(&s, &o);
				break;
			}
	ust_out_finish(&o);
	return dst;
}
