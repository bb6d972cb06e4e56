# Manual pages and the pages for people who change ustap.
nobase_dist_pkgdata_DATA += doc/built_in.txt
EXTRA_DIST += scripts/function-pages
dist_doc_DATA = README.md NEWS.md SECURITY.md \
	doc/adding.md \
	doc/ci.md \
	doc/compatibility.md \
	doc/cookbook.md \
	doc/editors.md doc/internals.md \
	doc/first-ten-minutes.md \
	doc/fleet.md \
	doc/language.md \
	doc/operations.md \
	doc/outputs.md \
	doc/probes.md \
	doc/releasing.md \
	doc/security.md \
	doc/tutorial.md
EXTRA_DIST += doc/pictures/make.png doc/pictures/python3.png doc/pictures/sqlite3.png \
	scripts/html-pictures
EXTRA_DIST += doc/stap-prep.1
EXTRA_DIST += doc/README.md doc/picture.commands doc/picture.svg AUTHORS CODE_OF_CONDUCT.md \
	CONTRIBUTING.md .github/ISSUE_TEMPLATE .github/pull_request_template.md
dist_man_MANS += doc/ustap-record.1 doc/ustap-test.1 doc/ustap-time.1 doc/ustap-errors.7 \
	doc/ustap-syscalls.7

# The OPTIONS sections of ustap(1) and staprun(8) are made from the rows of options.
man_MANS = doc/ustap.1 doc/staprun.8 doc/ustap-probes.7
EXTRA_DIST += doc/ustap.1.in doc/staprun.8.in scripts/option-pages
CLEANFILES += $(man_MANS)
option_texts = $(option_tables:%=$(srcdir)/%)
doc/ustap.1: $(srcdir)/doc/ustap.1.in $(srcdir)/scripts/option-pages $(option_texts)
	$(AM_V_GEN)$(MKDIR_P) doc && \
		awk -v page=ustap.1 -v sections=1 -f $(srcdir)/scripts/option-pages \
		$(option_texts) $(srcdir)/doc/ustap.1.in > $@.tmp && mv $@.tmp $@
doc/staprun.8: $(srcdir)/doc/staprun.8.in $(srcdir)/scripts/option-pages $(option_texts)
	$(AM_V_GEN)$(MKDIR_P) doc && awk -v page=staprun.8 -f $(srcdir)/scripts/option-pages \
		$(option_texts) $(srcdir)/doc/staprun.8.in > $@.tmp && mv $@.tmp $@

# The entries of ustap-probes(7) are in the source files of the probe types.
EXTRA_DIST += doc/ustap-probes.7.in scripts/probe-page
probe_texts = $(probe_sources:%=$(srcdir)/%)
doc/ustap-probes.7: $(srcdir)/doc/ustap-probes.7.in $(srcdir)/scripts/probe-page \
		$(srcdir)/translator/local.mk $(probe_texts)
	$(AM_V_GEN)$(MKDIR_P) doc && awk -f $(srcdir)/scripts/probe-page \
		$(probe_texts) $(srcdir)/doc/ustap-probes.7.in > $@.tmp && mv $@.tmp $@

# The same paragraphs for `ustap --help=OPTION'.
EXTRA_DIST += scripts/option-help
BUILT_SOURCES += translator/cli/option_help.inc
CLEANFILES += translator/cli/option_help.inc
translator/cli/libustap_a-option_help.$(OBJEXT): translator/cli/option_help.inc
translator/cli/option_help.inc: $(srcdir)/scripts/option-help $(option_texts)
	$(AM_V_GEN)$(MKDIR_P) translator/cli && awk -f $(srcdir)/scripts/option-help \
		$(option_texts) > $@.tmp && mv $@.tmp $@

# ustap-functions(7), a page for each function, and ustap-tapsets(7).
function_texts = $(srcdir)/doc/built_in.txt $(srcdir)/tapsets/*.stp $(srcdir)/tapsets/linux/*.stp
all-local: doc/functions/ustap-functions.7
doc/functions/ustap-functions.7: $(srcdir)/scripts/function-pages $(srcdir)/doc/built_in.txt \
		$(srcdir)/tapsets/local.mk
	$(AM_V_GEN)rm -rf doc/functions && $(MKDIR_P) doc/functions && \
		awk -v out=doc/functions -f $(srcdir)/scripts/function-pages $(function_texts) || \
		{ rm -f $@; exit 1; }
install-data-local: doc/functions/ustap-functions.7
	$(MKDIR_P) "$(DESTDIR)$(mandir)/man7" "$(DESTDIR)$(mandir)/man3"
	$(INSTALL_DATA) doc/functions/*.7 "$(DESTDIR)$(mandir)/man7"
	$(INSTALL_DATA) doc/functions/*.3ustap "$(DESTDIR)$(mandir)/man3"
uninstall-local:
	rm -f "$(DESTDIR)$(mandir)/man7/ustap-functions.7" \
		"$(DESTDIR)$(mandir)/man7/ustap-tapsets.7" "$(DESTDIR)$(mandir)/man3"/*.3ustap
clean-local:
	rm -rf doc/functions html

# The site of all pages, html/index.html, by pandoc and mandoc.
EXTRA_DIST += scripts/make-site doc/site
html-local: $(man_MANS) doc/functions/ustap-functions.7
	$(AM_V_GEN)$(srcdir)/scripts/make-site $(srcdir) . html

# The picture of README.md, from the output of the commands in doc/picture.commands.
EXTRA_DIST += scripts/terminal-svg
.PHONY: picture
picture: all
	$(AM_V_GEN)PATH=$(abs_builddir):$$PATH $(srcdir)/scripts/terminal-svg \
		$(srcdir)/doc/picture.commands $(srcdir) > picture.svg && \
		mv picture.svg $(srcdir)/doc/picture.svg
