/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime inside the traced process.  It is not part of this version: the
 * backend is here so that --runtime=user and `auto` have something to ask.
 */
#include "ustap.h"

static bool user_usable(const struct session *s, struct unusable *why)
{
	(void)s;
	why->tag = E_UNSUPPORTED;
	why->msg = "the in-process runtime is not part of this version of ustap";
	why->hint = "use --runtime=kernel";
	return false;
}

static bool user_refuse(struct session *s)
{
	struct unusable why;

	user_usable(s, &why);
	diag_error(why.tag, (struct loc){0}, "%s", why.msg);
	diag_hint("%s", why.hint);
	return false;
}

const struct backend backend_user = {
	.name = "user",
	.usable = user_usable,
	.prepare = user_refuse,
	.build = user_refuse,
};
