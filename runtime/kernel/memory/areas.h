/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Areas of a memory map without its lock. */
#ifndef USTAP_KERNEL_AREAS_H
#define USTAP_KERNEL_AREAS_H

#include <linux/mm_types.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/* READ_FIELD(V, ADDRESS): false if the address cannot be read. */
#define READ_FIELD(v, address) (!copy_from_kernel_nofault(&(v), address, sizeof(v)))

/* Compare searches in the loader's memory map with the kernel's, to learn whether its tree of areas
 * can be read. Returns 0. In a process; may sleep. */
int areas_init(void);
/* True if areas of MM can be found under RCU. Any context. */
bool areas_are_readable(const struct mm_struct *mm);
/* Put the first area of MM that ends above ADDR into VMA, or NULL. False: a change of the map is in
 * progress there. Takes bounded time in any context. Under RCU, after which the area may be freed.
 */
bool areas_find(const struct mm_struct *mm, unsigned long addr, const struct vm_area_struct **vma);

#endif
