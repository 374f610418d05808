# Waits until a user of a branch writes a line to its pipe, the standard input, or until no user has it open, and starts what answers, with 0 for a line.
# usage: await-branch-users.sh ANSWER…

read -r line
exec "$@" $?
