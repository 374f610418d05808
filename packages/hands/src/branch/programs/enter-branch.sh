# Runs a command in a folder of the namespaces that nsenter has joined, which begins at their root.
# usage: enter-branch.sh FOLDER COMMAND…

cd -- "$1" || exit 126
shift
exec "$@"
