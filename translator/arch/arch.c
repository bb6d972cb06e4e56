/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The architectures, and the one that a script is compiled for. */
#include <elf.h>
#include <string.h>

#include "arch.h"
#include "base/util.h"

static const struct arch *const all[] = {&arch_arm64, &arch_x86_64};
static ARENA_STATE const struct arch *target;

/* The header of this program, which linkers define. */
extern const Elf64_Ehdr ehdr __asm__("__ehdr_start") __attribute__((visibility("hidden")));

const struct arch *arch_of_machine(unsigned machine)
{
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i]->machine == machine)
			return all[i];
	return NULL;
}

const struct arch *arch_host(void) { return arch_of_machine(ehdr.e_machine); }

const struct arch *arch_target(void)
{
	if (!target)
		target = arch_host();
	return target ? target : &arch_x86_64;
}

bool arch_set_target(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!strcmp(name, all[i]->name) ||
		    (all[i]->alias && !strcmp(name, all[i]->alias))) {
			target = all[i];
			return true;
		}
	return false;
}

const char *arch_names(void)
{
	struct strbuf out = {0};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		sb_printf(&out, "%s%s",
			  !i                       ? ""
			  : i + 1 < ARRAY_LEN(all) ? ", "
						   : " and ",
			  all[i]->name);
	return out.s;
}

/* Machines that programs may be of, besides those above. */
static const struct {
	unsigned machine;
	const char *name;
} others[] = {
	{EM_386, "i386"},    {EM_ARM, "arm"},   {EM_PPC64, "ppc64"}, {EM_S390, "s390x"},
	{EM_RISCV, "riscv"}, {EM_MIPS, "mips"}, {EM_PPC, "ppc"},     {EM_LOONGARCH, "loongarch64"},
};

const char *arch_machine_name(unsigned machine)
{
	const struct arch *known = arch_of_machine(machine);

	for (size_t i = 0; !known && i < ARRAY_LEN(others); i++)
		if (others[i].machine == machine)
			return others[i].name;
	return known ? known->elf_machine : xprintf("machine %u", machine);
}
