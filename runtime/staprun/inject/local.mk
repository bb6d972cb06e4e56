# The loader's part of the user runtime.  Zydis decodes the instructions that make room for jumps.
libstaprun_a_SOURCES += \
	runtime/staprun/inject/inject.h
