# Units of systemd for scripts that run as services.
systemdunitdir = $(prefix)/lib/systemd/system
dist_systemdunit_DATA = services/staprun@.service services/ustap@.service
