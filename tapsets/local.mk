# The script library, one topic a file.
nobase_dist_pkgdata_DATA +=
