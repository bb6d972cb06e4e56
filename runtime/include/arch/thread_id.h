/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where C libraries keep the id of a thread: offsets from the thread pointer. */
#ifndef USTAP_THREAD_ID_H
#define USTAP_THREAD_ID_H

/* glibc, musl */
#define THREAD_ID_OFFSETS   \
	{                   \
		0x2d0, 0x30 \
	}

#endif
