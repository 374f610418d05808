# Mounts the copy of the workspace, and of a repository outside it, in a namespace that exists.
# usage: copy.sh AREA SYSTEM_PATH COMMAND…
#
# Names are relative, because mount options cannot escape a comma or a colon. `volatile`: changes that are not applied
# need not survive a crash of the machine, so the many syncs of package managers and databases cost nothing.
# Keeps the working directory that the runner's handle led to. A failed mount leaves a file that commands cannot reach.

(
  cd "$1" && PATH=$2 && {
    lower=lower
    test ! -d pinned || lower=pinned:$lower
    test ! -d outputs/. || lower=outputs:$lower
    test ! -d hidden || lower=hidden:$lower
  } &&
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=upper,workdir=work,userxattr,volatile" merged &&
    { test ! -d upper-git || mount -t overlay overlay -o lowerdir=lower-git,upperdir=upper-git,workdir=work-git,userxattr,volatile merged-git; }
) || { : > "$1/failed"; exit 1; }
shift 2
exec "$@"
