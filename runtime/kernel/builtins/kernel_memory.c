/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builtins on the kernel's memory: NUMA node of an address, pages, kernel strings. */
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

/* Addresses outside the direct map have a known node only on machines with a single node. */
ust_long ust_addr_to_node(struct ust_ctx *c, ust_long addr)
{
	if (virt_addr_valid((void *)addr))
		return page_to_nid(virt_to_page((void *)addr));
	return num_online_nodes() == 1 ? first_online_node : -1;
}
