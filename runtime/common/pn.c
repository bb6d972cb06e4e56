/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: the probe point that was hit, as the script has it. */
#include "common.h"

const char *ust_pn(struct ust_ctx *c, char *dst)
{
	const struct ust_hit *hit = c->hit;
	const char *name = NULL;

	if (ust_program.names && hit->site)
		name = ust_program.names[hit->site - ust_program.sites];
	else if (ust_program.names && hit->probe)
		name = ust_program.names[ust_program.nsites + (u32)(hit->probe - ust_program.probes)];
	return name ? name : ust_pp(c, dst);
}

/* What is in `.label("...")'. */
const char *ust_pnlabel(struct ust_ctx *c, char *dst)
{
	static const char before[] = ".label(\"";
	const char *p = ust_pn(c, dst);
	struct ust_out o;

	while (*p && (strlen(p) < sizeof before || memcmp(p, before, sizeof before - 1)))
		p++;
	ust_out_string(&o, dst);
	if (*p)
		for (p += sizeof before - 1; *p && *p != '"'; p++)
			ust_put(&o, p, 1);
	ust_out_finish(&o);
	return dst;
}
