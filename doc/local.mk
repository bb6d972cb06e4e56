# Manual pages and the pages for people who change ustap.
EXTRA_DIST += doc/adding.md doc/compatibility.md doc/internals.md
dist_man_MANS += doc/ustap.1
