/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builtins: the command line and the environment of the probed process, which the kernel has put
 * side by side in its memory when it was started.  What cannot be read counts as the end.  The
 * process can have them begin and end anywhere (prctl(PR_SET_MM_MAP)), so all reads are bounded;
 * see target_read.c.
 */
#include "common.h"

/* Goes through memory from AT on, some bytes at a time. */
struct scan {
	struct ust_ctx *c;
	u64 at, end;
	u64 word; /* what is at `at', as far as `have' bytes */
	u32 have;
};

static bool scan_start(struct scan *s, struct ust_ctx *c, bool environment)
{
	*s = (struct scan){.c = c};
	target_begin(c);
	return port_process_strings(c, environment, &s->at, &s->end) && s->at < s->end;
}

/* -1 at the end. */
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

/* Past the next NUL; false: there is nothing behind it. */
static bool scan_skip(struct scan *s)
{
	int ch;

	do
		ch = scan_next(s);
	while (ch > 0);
	return s->at < s->end;
}

/* Up to the next NUL to O. */
static void scan_copy(struct scan *s, struct ust_out *o)
{
	char piece;
	int ch;

	while ((ch = scan_next(s)) > 0) {
		piece = (char)ch;
		ust_put(o, &piece, 1);
	}
}

/* The end of what a string has room for is the end of a long command line. */
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

/* Is the variable that begins at S called NAME?  S is then at its value, else somewhere before its
 * end. */
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
