/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry point of libFuzzer for ELF files; see fuzz/run. */
#include <stdlib.h>
#include <unistd.h>

#include "elf.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	elf_start(getenv("FUZZ_BASE"));
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;

	if (seed % 64 == 0 && elf_first_index(data, max))
		size = elf_first_index(data, max);
	for (unsigned i = 1 + (seed >> 3) % 3; i > 0; i--)
		size = elf_damage(data, size, max, &s);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	setenv("USTAP_NAMES", size & 1 ? "all" : "no", 1); /* with the index, in memory, and without
							    */
	elf_read_all(data, size);
	return 0;
}
