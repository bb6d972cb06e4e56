# Print macros with the path of this interpreter, and of the file that contains it.
import os, re, sys

program = os.path.realpath(sys.executable)
library = re.search(r"/\S*/libpython3\.\S*", open("/proc/self/maps").read())
print('@define python_object %%( "%s" %%)' % (library[0] if library else program))
print('@define python_here %%( "%s" %%)' % program)
