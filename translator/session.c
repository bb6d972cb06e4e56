/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session: what passes ask of a compile as a whole, before its last pass has chosen the runtime.
 * `backends` is the one symbol of backend/ that is used here.
 */
#include "session.h"
#include <string.h>

void report_unusable(const struct unusable *why)
{
	diag_error(why->tag, why->loc, "%s", why->msg);
	if (why->hint)
		diag_hint("%s", why->hint);
}

/* The user runtime does not have the point PP;
 * KERNEL says why not to take the other, or is NULL. */
void runtime_lacks_point(struct loc loc, const char *pp, const struct unusable *kernel,
			 struct unusable *why)
{
	*why = (struct unusable){
		.tag = E_UNSUPPORTED,
		.loc = loc,
		.msg = xprintf("%s needs the kernel runtime%s%s", pp, kernel ? ": " : "",
			       kernel ? kernel->msg : ""),
		.hint = kernel ? kernel->hint : "use --runtime=kernel",
	};
}

void report_needs_kernel(const struct session *s, struct loc loc, const char *pp)
{
	struct unusable kernel, why;
	bool choice = s->opt.runtime == RT_AUTO && !backends[RT_KERNEL]->usable(s, &kernel);

	runtime_lacks_point(loc, pp, choice ? &kernel : NULL, &why);
	report_unusable(&why);
}

bool session_predates(const struct session *s, const char *version, struct loc loc)
{
	const char *compatible = s->opt.compatible;

	return compatible && !(loc.src && loc.src->ours) && strverscmp(compatible, version) < 0;
}

enum runtime early_runtime(const struct session *s)
{
	struct unusable why;

	if (s->opt.runtime != RT_AUTO)
		return s->opt.runtime;
	return s->opt.release || backends[RT_KERNEL]->usable(s, &why) ? RT_KERNEL : RT_USER;
}

bool stacks_are_names(const struct session *s)
{
	return s->opt.named_stacks || s->opt.format == FORMAT_FOLDED ||
	       s->opt.format == FORMAT_HTML;
}

bool session_exports(const struct session *s)
{
	return s->opt.prometheus || s->opt.format == FORMAT_OTLP;
}

bool session_has_views(const struct session *s)
{
	return s->opt.monitor || s->opt.prometheus || s->opt.otlp ||
	       (s->opt.format == FORMAT_HTML && !s->opt.named_stacks);
}

bool session_defines(const struct session *s, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < s->opt.defines.n; i++)
		if (!strncmp(s->opt.defines.v[i], name, n) &&
		    (!s->opt.defines.v[i][n] || s->opt.defines.v[i][n] == '='))
			return true;
	return false;
}
