#!/usr/bin/env bash
# Checks that each required command has a receipt that is valid for the files of this checkout. Needs no network beyond what starts Synapse.
#   SYNAPSE_KEY       the public key that must have signed
#   SYNAPSE_COMMANDS  the commands that must have passed, one a line
#   SYNAPSE_RECEIPTS  a file or folder with receipts; empty: the git note "synapse" of the commit, whose lines of JSON are receipts
#   SYNAPSE_PROGRAM   the command line of Synapse
set -uo pipefail

: "${SYNAPSE_KEY:?the public key is missing}" "${SYNAPSE_COMMANDS:?no command is required}"
read -ra program <<<"${SYNAPSE_PROGRAM:-synapse}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Collects the receipts as files.
if [ -z "${SYNAPSE_RECEIPTS:-}" ]; then
  number=0
  while IFS= read -r line; do
    # The others are for people.
    [ "${line:0:1}" = "{" ] || continue
    number=$((number + 1))
    printf '%s\n' "$line" >"$work/note-$number.json"
  done < <(git notes --ref=synapse show HEAD 2>/dev/null)
  files=("$work"/*.json)
elif [ -d "$SYNAPSE_RECEIPTS" ]; then
  files=("$SYNAPSE_RECEIPTS"/*.json)
else
  files=("$SYNAPSE_RECEIPTS")
fi

missing=0
say() {
  printf '%s\n' "$1"
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || printf '%s\n\n' "$1" >>"$GITHUB_STEP_SUMMARY"
}
# File names come from the commit: on GitHub, none of them may be a command to the runner.
untrusted() {
  if [ -z "${GITHUB_ACTIONS:-}" ]; then
    printf '%s' "$1"
    return
  fi
  local token
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n%s\n::%s::\n' "$token" "${1%$'\n'}" "$token"
}
while IFS= read -r wanted; do
  [ -n "${wanted// /}" ] || continue
  found=
  reasons=
  for file in "${files[@]}"; do
    [ -f "$file" ] || continue
    # The reason stands on the error stream.
    if reason=$("${program[@]}" receipt verify "$file" --key "$SYNAPSE_KEY" --command "$wanted" --passed 2>&1 >"$work/state"); then
      found=$file
      break
    fi
    state=$(head -n 1 "$work/state")
    [ "$state" = not-this ] || reasons+="  ${state:-not read}: ${reason//$'\n'/$'\n'  }"$'\n'
  done
  if [ -n "$found" ]; then
    say "passed   $wanted"
  else
    missing=1
    say "missing  $wanted"
    [ -z "$reasons" ] || untrusted "$reasons"
  fi
done <<<"$SYNAPSE_COMMANDS"
exit $missing
