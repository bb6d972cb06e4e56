# Language support for editors and shells: ustap --language-server and --complete.
libustap_a_SOURCES += translator/edit/keywords.c
ustap_SOURCES += \
	translator/edit/analyse.c \
	translator/edit/catalogue.c \
	translator/edit/complete.c \
	translator/edit/complete_point.c \
	translator/edit/describe.c \
	translator/edit/edit.h \
	translator/edit/outline.c \
	translator/edit/shell.c \
	translator/edit/symbol_at.c \
	translator/edit/view.c
