/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Optimised clones: kernel functions of which compilers left a single copy, specialised for the
 * arguments of its callers, under a name with a suffix.
 *
 * Every call goes through that clone, so it replaces the function. But parameters that are constant
 * or unused are removed from it, and BTF does not say which ones: a handler that reads parameters
 * is not armed there. Symbols with the suffix .part or .cold are fragments of a function and never
 * replace it.
 */
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "probes/kprobe.h"

static const char *const suffixes[] = {".isra.0", ".constprop.0", ".constprop.0.isra.0"};

bool symbol_variant_is_suffix(const char *text)
{
	return match_string(suffixes, ARRAY_SIZE(suffixes), text) >= 0;
}

static bool takes(const struct ust_site *s) { return s->flags & UST_SITE_CLONE; }

bool symbol_variant_fits(const struct kprobe_point *p)
{
	u32 i;

	for (i = 0; i < p->n; i++)
		if (!takes(p->sites[i]))
			return false;
	return true;
}

/* True if a site can use the clone, or the refusal has to be reported. */
static bool needs_clone(const struct kprobe_point *p)
{
	u32 i;

	for (i = 0; i < p->n; i++)
		if (takes(p->sites[i]) || !(p->sites[i]->flags & UST_SITE_ANY))
			return true;
	return false;
}

static int takers_first(const void *a, const void *b)
{
	const struct ust_site *s = *(const struct ust_site *const *)a;
	const struct ust_site *t = *(const struct ust_site *const *)b;

	if (takes(s) != takes(t))
		return takes(s) ? -1 : 1;
	return s < t ? -1 : s > t;
}

u32 symbol_variant_count(struct kprobe_point *p)
{
	u32 n = 0;

	sort(p->sites, p->n, sizeof *p->sites, takers_first, NULL);
	while (n < p->n && takes(p->sites[n]))
		n++;
	return n;
}

int symbol_variant_register(struct kprobe_point *p, int (*place)(struct kprobe_point *p))
{
	int err = -ENOENT;
	u32 i;

	for (i = 0; needs_clone(p) && i < ARRAY_SIZE(suffixes); i++) {
		p->clone = kasprintf(GFP_KERNEL, "%s%s", p->sites[0]->symbol, suffixes[i]);
		err = p->clone ? place(p) : -ENOMEM;
		if (err != -ENOENT)
			break;
		symbol_variant_forget(p);
	}
	return err;
}

void symbol_variant_forget(struct kprobe_point *p)
{
	kfree(p->clone);
	p->clone = NULL;
}
