/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free space on interrupt and exception stacks. No exported symbol gives their bounds, but an
 * unmapped guard page is below each. */
#include <linux/uaccess.h>

#include "rt.h"
#include "memory/stack_room.h"

noinline bool stack_room_slow(unsigned long sp, unsigned long need)
{
	unsigned long end = (sp - need) & PAGE_MASK, page;
	char c;

	for (page = sp & PAGE_MASK; page > end; page -= PAGE_SIZE)
		if (copy_from_kernel_nofault(&c, (const void *)(page - 1), 1))
			return false;
	return true;
}
