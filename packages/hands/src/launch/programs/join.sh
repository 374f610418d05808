# Closes the descriptors of the namespaces that a command has joined: it must not hold other namespaces.
# usage: join.sh USER NETWORK COMMAND…    (numbers of descriptors, of one digit)

eval "exec $1<&- $2<&-"
shift 2
exec "$@"
