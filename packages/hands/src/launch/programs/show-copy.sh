# Shows a copy of the workspace, read through the kernel, as long as the input is open.
# usage: show-copy.sh    (in the area, in a namespace that exists)
#
# Both layers are mounted as lower ones, because the upper one may be mounted as upper only once. The process id that
# it prints leads to the mount.

mount -t overlay overlay -o lowerdir=upper:lower,userxattr,ro merged && echo $$ && exec cat
