# Architectures: all that differs between machines.
libustap_a_SOURCES += \
	translator/arch/arch.c \
	translator/arch/arch.h \
	translator/arch/arm64.c \
	translator/arch/arm64.h \
	translator/arch/arm64_abi.c \
	translator/arch/arm64_calls.c \
	translator/arch/arm64_calls.h \
	translator/arch/arm64_insn.c \
	translator/arch/arm64_sdt.c \
	translator/arch/x86_64.c \
	translator/arch/x86_64.h \
	translator/arch/x86_64_abi.c \
	translator/arch/x86_64_calls.c \
	translator/arch/x86_64_insn.c \
	translator/arch/x86_64_sdt.c \
	translator/arch/x86_64_uprobe.c
