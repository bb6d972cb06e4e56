# Completion of command lines, where each shell looks for it.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_zshcompletion_DATA = completions/_ustap
dist_fishcompletion_DATA = completions/ustap.fish
EXTRA_DIST += completions/ustap.bash
install-data-local: install-bash-completion
uninstall-local: uninstall-bash-completion
.PHONY: install-bash-completion uninstall-bash-completion
install-bash-completion:
	$(MKDIR_P) "$(DESTDIR)$(bashcompletiondir)"
	$(INSTALL_DATA) $(srcdir)/completions/ustap.bash "$(DESTDIR)$(bashcompletiondir)/ustap"
uninstall-bash-completion:
	rm -f "$(DESTDIR)$(bashcompletiondir)/ustap"
