# Reading ELF and DWARF: the only files that may include elfutils' headers.
libustap_a_SOURCES +=
