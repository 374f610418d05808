# Starts perl so that it does not warn about a locale that is not installed. An empty variable is ours: perl removes it.
# usage: quiet-perl.sh PERL…

PERL_BADLANG=${PERL_BADLANG-} exec "$@"
