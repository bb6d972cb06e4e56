# Reading ELF and DWARF: the only files that may include elfutils' headers.
libustap_a_SOURCES += \
	translator/arch/host.c \
	translator/arch/x86_64.c \
	translator/arch/x86_64.h \
	translator/arch/x86_64_insn.c \
	translator/dwarf/access.c \
	translator/dwarf/args.c \
	translator/dwarf/cast.c \
	translator/dwarf/constant.c \
	translator/dwarf/at.c \
	translator/dwarf/demangle.c \
	translator/dwarf/dwarf.h \
	translator/dwarf/frames.c \
	translator/dwarf/function.c \
	translator/dwarf/header.c \
	translator/dwarf/inflate.c \
	translator/dwarf/inflate.h \
	translator/dwarf/inline.c \
	translator/dwarf/kept.c \
	translator/dwarf/kept.h \
	translator/dwarf/lines.c \
	translator/dwarf/match.c \
	translator/dwarf/module.c \
	translator/dwarf/names.c \
	translator/dwarf/needed.c \
	translator/dwarf/operand.c \
	translator/dwarf/place.c \
	translator/dwarf/plt.c \
	translator/dwarf/rust.c \
	translator/dwarf/scope.c \
	translator/dwarf/shape.c \
	translator/dwarf/sdt.c \
	translator/dwarf/seen.c \
	translator/dwarf/symbols.c \
	translator/dwarf/type.c \
	translator/dwarf/unit.c \
	translator/dwarf/var.c
