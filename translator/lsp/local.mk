# The language server, where json-c is installed.
ustap_lsp = \
	translator/lsp/answer.c \
	translator/lsp/completion.c \
	translator/lsp/diagnose.c \
	translator/lsp/document.c \
	translator/lsp/hover.c \
	translator/lsp/job.c \
	translator/lsp/json.c \
	translator/lsp/lsp.h \
	translator/lsp/position.c \
	translator/lsp/rpc.c \
	translator/lsp/server.c \
	translator/lsp/view.h \
	translator/lsp/navigation.c
if LANGUAGE_SERVER
ustap_SOURCES += $(ustap_lsp)
else
EXTRA_DIST += $(ustap_lsp)
endif
