/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits: -D NAME=VALUE.  Names of SystemTap's that bound nothing here are taken and checked for
 * form only. */
#include <ctype.h>
#include <string.h>
#include "options.h"

struct limit_name {
	const char *name;
	size_t offset;
	int64_t min, max, def;
};

#define LIMIT(name, field, min, max, def)                           \
	{                                                           \
		name, offsetof(struct limits, field), min, max, def \
	}
/* Actions are counted in 32 bits, in steps. */
#define MOST_INTERRUPTIBLE (UINT32_MAX / 2)

static const struct limit_name limit_names[] = {
	LIMIT("MAXACTION", maxaction, 1, INT32_MAX, 1000),
	LIMIT("MAXACTION_INTERRUPTIBLE", maxaction_interruptible, 1, MOST_INTERRUPTIBLE, 0),
	LIMIT("MAXNESTING", maxnesting, 1, 250, 0),
	LIMIT("MAXSTRINGLEN", maxstringlen, 16, 4096, 512),
	LIMIT("MAXMAPENTRIES", maxmapentries, 1, 1 << 24, 2048),
	LIMIT("MAXERRORS", maxerrors, 0, INT32_MAX, 0),
	LIMIT("MAXSKIPPED", maxskipped, 0, INT32_MAX, 100),
	LIMIT("MAXBACKTRACE", maxbacktrace, 1, 1000, 20),
	LIMIT("HIST_WIDTH", hist_width, 1, 1000, 50),
	LIMIT("HIST_ELISION", hist_elision, -1, 1000, 2),
	LIMIT("STP_MAX_BUCKETS", max_buckets, 3, 4096, 128),
	LIMIT("STP_OVERLOAD_THRESHOLD", overload_threshold, 1, INT64_MAX, 500000000),
	LIMIT("STP_OVERLOAD_INTERVAL", overload_interval, 1, INT64_MAX, 1000000000),
};

/* Further limits of SystemTap, and the values that they take. They tune its runtime and do not
 * change the meaning of a script. */
enum other_value { NO_NUMBER, MAY_BE_NUMBER, POSITIVE, ANY_SIGN };
static const struct {
	const char *name;
	enum other_value value;
} other_names[] = {
	{"MAXTRYLOCK", POSITIVE},
	{"MAPHASHBIAS", ANY_SIGN},
	{"MINSTACKSPACE", POSITIVE},
	{"MAXUPROBES", POSITIVE},
	{"MAXTRACE", POSITIVE},
	{"TRYLOCKDELAY", POSITIVE},
	{"STP_MAXMEMORY", POSITIVE},
	{"STP_PROCFS_BUFSIZE", POSITIVE},
	{"KRETACTIVE", POSITIVE},
	{"STP_NO_OVERLOAD", NO_NUMBER},
	{"STAP_SUPPRESS_TIME_LIMITS_ENABLE", NO_NUMBER},
	{"STP_NO_BUILDID_CHECK", NO_NUMBER},
	{"STP_NO_VERREL_CHECK", NO_NUMBER},
	{"STP_LEGACY_PRINT", NO_NUMBER},
	{"STP_EXECTRACE", MAY_BE_NUMBER},
	{"STP_ALIBI", NO_NUMBER},
	{"STP_TIMING", NO_NUMBER},
	{"INTERRUPTIBLE", NO_NUMBER},
	{"CONFIG_STAP", NO_NUMBER},
	{"STAP_CALLEE_MATCHALL", NO_NUMBER},
};

static int64_t *limit_value(struct limits *lim, const struct limit_name *l)
{
	return (int64_t *)((char *)lim + l->offset);
}

void limits_default(struct limits *lim)
{
	for (size_t i = 0; i < ARRAY_LEN(limit_names); i++)
		*limit_value(lim, &limit_names[i]) = limit_names[i].def;
}

static void unknown_limit(const char *name)
{
	const char *names[ARRAY_LEN(limit_names)], *near;

	for (size_t i = 0; i < ARRAY_LEN(limit_names); i++)
		names[i] = limit_names[i].name;
	option_error("-D: unknown limit \"%s\"", name);
	near = nearest(name, names, ARRAY_LEN(names));
	if (near)
		diag_hint("did you mean %s?", near);
	else
		diag_hint("limits are MAXACTION MAXNESTING MAXSTRINGLEN MAXMAPENTRIES MAXERRORS "
			  "MAXSKIPPED MAXBACKTRACE");
}

/* One of SystemTap's that means nothing here?  DEBUG_... are its switches for debugging itself. */
static bool other_limit(const char *name, const char *value)
{
	if (!strncmp(name, "DEBUG_", 6))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(other_names); i++) {
		if (strcmp(other_names[i].name, name))
			continue;
		if (value)
			option_number(xprintf("-D %s", name), value,
				      other_names[i].value == ANY_SIGN ? INT64_MIN : 0, INT64_MAX);
		else if (other_names[i].value >= POSITIVE)
			option_error("-D %s needs a value: -D %s=N", name, name);
		return true;
	}
	return false;
}

void limits_settle(struct limits *lim)
{
	enum { TIMES = 10 };
	int64_t most = lim->maxaction * TIMES;

	if (!lim->maxaction_interruptible)
		lim->maxaction_interruptible = most < MOST_INTERRUPTIBLE ? most
									 : MOST_INTERRUPTIBLE;
}

void limits_set(struct session *s, const char *define)
{
	const char *eq = strchr(define, '=');
	const char *name = eq ? xstrndup(define, (size_t)(eq - define)) : define;

	for (size_t i = 0; i < ARRAY_LEN(limit_names); i++) {
		const struct limit_name *l = &limit_names[i];

		if (strcmp(l->name, name))
			continue;
		if (eq)
			*limit_value(&s->lim, l) = option_number(xprintf("-D %s", name), eq + 1,
								 l->min, l->max);
		else
			option_error("-D %s needs a value: -D %s=N", name, name);
		return;
	}
	if (!other_limit(name, eq ? eq + 1 : NULL))
		unknown_limit(name);
}
