/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NAME=VALUE after the script's file: initial values of globals. */
#include "base/message.h"
#include "options.h"
#include "session/session_ops.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* Parse all of TEXT as an integer in the script language's syntax. */
bool module_param_number(const char *text, int64_t *n)
{
	char *end;

	errno = 0;
	*n = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return *text && !strchr(" \t\n+", *text) && end != text && !*end && !errno;
}

bool module_param_check(const char *text)
{
	size_t n = strcspn(text, "=");

	return text[n] && n &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n;
}

static bool explain(const char *given, const char *name, int err)
{
	if (err == ENOENT) {
		say("%s: the script has no global \"%s\"", given, name);
		return hint("globals that nothing uses are removed from the script");
	}
	if (err == EISDIR)
		return fail("%s: \"%s\" is an array or a statistic; only integers and strings can "
			    "be set",
			    given, name);
	if (err == EDOM)
		return fail("%s: \"%s\" is a number", given, name);
	if (err == ENAMETOOLONG)
		return fail(
			"%s: the string is too long; raise the limit with ustap -D MAXSTRINGLEN=N",
			given);
	return fail("%s: %s", given, strerror(err));
}

static bool set(struct session *s, const char *given)
{
	size_t n = strcspn(given, "=");
	char *name = xstrndup(given, n);
	int64_t number = 0;
	bool is_number = module_param_number(given + n + 1, &number);
	int err = strlen(given) < UST_SET_MAX
			  ? s->kind->set(s, name, given + n + 1, number, is_number)
			  : ENAMETOOLONG;
	bool ok = !err || explain(given, name, err);

	free(name);
	return ok;
}

static void set_number(struct session *s, const char *name, long number)
{
	char text[32];

	snprintf(text, sizeof text, "%ld", number);
	s->kind->set(s, name, text, number, true);
}

static void set_host(struct session *s, const struct options *o)
{
	struct utsname u = {0};

	uname(&u);
	s->kind->set(s, "__host", o->host ? o->host : u.nodename, 0, false);
	if (o->host)
		s->kind->set(s, "__remote_uri", o->host, 0, false);
	set_number(s, "__remote_id", (long)o->host_number - 1);
}

/* Set the globals of tapset functions about this run; scripts that do not use them lack these
 * globals. */
static void set_known(struct session *s, const struct options *o)
{
	time_t now = time(NULL);
	struct tm local;

	s->kind->set(s, "__module_name", s->name, 0, false);
	set_host(s, o);
	if (!localtime_r(&now, &local))
		return;
	set_number(s, "__tz_gmtoff", -local.tm_gmtoff);
	s->kind->set(s, "__tz_name", local.tm_zone, 0, false);
}

bool module_params_set(struct session *s, const struct options *o)
{
	set_known(s, o);
	for (size_t i = 0; i < o->ngiven; i++)
		if (!set(s, o->given[i]))
			return false;
	return true;
}
