/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime's own memory. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "port.h"

/* Fails for large sizes instead of invoking the OOM killer or warning in the kernel log. */
void *port_alloc(size_t size)
{
	const gfp_t flags = GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;

	return size > PAGE_SIZE ? __vmalloc(size, flags) : kmalloc(size, flags);
}

void port_free(const void *p) { kvfree(p); }
