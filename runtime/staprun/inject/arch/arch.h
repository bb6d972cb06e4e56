/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code: decoded, relocated, written. */
#ifndef USTAP_INJECT_ARCH_ARCH_H
#define USTAP_INJECT_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "wire_agent.h"

/* ----------------------------------------------------------- calls_x86_64.c */

/* True if the instruction at ADDR, a `syscall' in the function [START, END) with bytes TEXT, is
 * decoded as an instruction from the function's start on and may make one of N system calls. */
bool call_may_be(const uint8_t *text, uint64_t start, uint64_t end, uint64_t addr,
		 const unsigned *numbers, size_t n);
/* True if a `syscall' follows within 256 bytes after the instruction at TEXT. If not, the bounds of
 * functions, which take 0.1 s in a large program, are not needed. */
bool call_follows(const uint8_t *text, size_t size);

/* ------------------------------------------------------------ stub_x86_64.c */

/* Generate the head of an area of trampolines: a table of UST_COMMON_COUNT addresses, then its
 * unwind information: a header in eh_frame_hdr format with search table, and one FDE for [AREA,
 * AREA + SIZE) whose rules find the replaced return address in the table of slots. Fills DST;
 * returns its size, which is the first free offset of the area. */
enum { AREA_HEAD_MAX = 512 };
/* Write the head of an area of trampolines of SIZE bytes at address AREA: common code and unwind
 * information (.eh_frame_hdr, .eh_frame). Returns its length, a multiple of 16. */
size_t area_head(uint8_t dst[AREA_HEAD_MAX], uint64_t area, uint64_t size,
		 const struct ust_layout *layout);
/* Offsets of .eh_frame_hdr and .eh_frame in the head. */
size_t area_eh_frame_hdr(void);
/* Offset of .eh_frame in an area, for __register_frame(). */
size_t area_eh_frame(void);

/* ---------------------------------------------------------- decode_x86_64.c */

/* Length of the instruction at TEXT, of N bytes, if it is only a landing pad for indirect branches
 * (endbr64); else 0. */
size_t landing_pad(const uint8_t *text, size_t n);

#endif
