/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traits of uprobes that differ between kernels. */
#ifndef USTAP_BASE_KERNEL_UPROBES_H
#define USTAP_BASE_KERNEL_UPROBES_H

#include <stdbool.h>

struct uprobe_traits {
	/* nops of five bytes are emulated, not only those of one */
	bool emulates_nops;
	/* ... and are replaced by a call, which spares the trap. It writes its return address below
	 * the stack pointer, where leaf functions keep data (the red zone) */
	bool calls;
};
/* The traits of the kernel whose headers are in BUILD; none if BUILD is NULL or without headers. */
struct uprobe_traits uprobe_traits(const char *build);

#endif
