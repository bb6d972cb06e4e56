# Modes of editors, in the directories in which the editors search.
vimfilesdir = $(datadir)/vim/vimfiles
nvimfilesdir = $(datadir)/nvim/site
emacslispdir = $(datadir)/emacs/site-lisp
dist_emacslisp_DATA = editors/emacs/ustap-mode.el
vim_files = ftdetect/ustap.vim ftplugin/systemtap.vim indent/systemtap.vim syntax/systemtap.vim
EXTRA_DIST += editors/vim
install-data-local: install-vim
uninstall-local: uninstall-vim
.PHONY: install-vim uninstall-vim
install-vim:
	for dir in "$(DESTDIR)$(vimfilesdir)" "$(DESTDIR)$(nvimfilesdir)"; do \
		for file in $(vim_files); do \
			$(MKDIR_P) "$$dir/$${file%/*}" && \
			$(INSTALL_DATA) $(srcdir)/editors/vim/$$file "$$dir/$$file" || exit 1; \
		done; \
	done
uninstall-vim:
	for file in $(vim_files); do \
		rm -f "$(DESTDIR)$(vimfilesdir)/$$file" "$(DESTDIR)$(nvimfilesdir)/$$file"; \
	done
