/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins: what only the kernel knows of its memory. */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nodemask.h>

#include "rt.h"

const char *ust_gfp_name(struct ust_ctx *c, char *dst, ust_long flags)
{
	gfp_t gfp = (__force gfp_t)flags;

	scnprintf(dst, ust_program.maxstringlen, "%pGg", &gfp);
	return dst;
}

/* Of addresses that are not in the kernel's map of
 * all memory only a machine with one node knows. */
ust_long ust_addr_to_node(struct ust_ctx *c, ust_long addr)
{
	if (virt_addr_valid((void *)addr))
		return page_to_nid(virt_to_page((void *)addr));
	return num_online_nodes() == 1 ? first_online_node : -1;
}
