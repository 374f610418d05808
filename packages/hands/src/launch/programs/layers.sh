# Mounts the layers above caches and build output, in a namespace that exists.
# usage: layers.sh FOLDER SYSTEM_PATH COMMAND…
#
# Caches: one program makes all mounts of the table. If one fails, an empty folder stays in its place: the command then
# has an empty cache, which every package manager supports.
#
# Build output: a command that runs can swap the folder in the workspace for a link, which would bring a folder of this
# machine below the layer. So it is opened once, compared with the folder that Synapse holds open, and mounted by its
# descriptor: one that was opened outside the namespace cannot be mounted. A failure leaves a mark that commands cannot
# reach, and nothing runs: otherwise they would write to an empty folder, and what they wrote would be lost.

(cd "$1" && PATH=$2 && mount -a -T fstab) 2>/dev/null
[ ! -e "$1/output-table" ] || (
  cd "$1" && PATH=$2 && while read -r place id; do
    exec 9< "$place/below/." && [ "$(stat -L -c %d:%i /proc/self/fd/9)" = "$id" ] &&
      mount -t overlay overlay -o "lowerdir=$place/lower0:$place/lower1,upperdir=$place/upper,workdir=$place/work,userxattr,volatile" "$place/merged" || exit 1
  done < output-table
) 2>/dev/null || { : > "$1/failed"; exit 1; }
shift 2
exec "$@"
