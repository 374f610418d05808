import type { NewestReceipt } from './receipts.ts';

/** The ref that the action reads. */
export const NOTES = 'git notes --ref=synapse';
/** Maximum bytes of a command: the kernel takes 128 kB for one argument. */
const MAX_COMMAND_BYTES = 120 * 1024;
/** Ends the text of a note. No line of it is this one: each is a JSON object, or says what a command came to. */
const END = 'END-OF-RECEIPTS';
/** Maximum number of characters of a command in a line for people. */
const MAX_SHOWN = 200;
const ID_CHARACTERS = 8;
const MS_PER_SECOND = 1_000;

/** The line about a receipt for people: `passed  npm test  12.3 s  3f2a91c0`. */
export function noteLine({ command, exit_code: code, duration_ms: duration, call }: NewestReceipt): string {
  const outcome = code === 0 ? 'passed' : code === null ? 'ended' : `exit code ${code}`;
  const line = command.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN).toWellFormed()}…` : line;
  return `${outcome}  ${shown}  ${(duration / MS_PER_SECOND).toFixed(1)} s  ${call.slice(0, ID_CHARACTERS)}`;
}

/** The commands that make the note of a commit, in place of an earlier one. Lines that are too long for one are left out. */
export function noteCommands(commit: string, lines: readonly string[]): string[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_COMMAND_BYTES) {
      parts.push([]);
      bytes = Buffer.byteLength(line) + 1;
    }
    parts.at(-1)?.push(line);
  }
  return parts.map((part, index) => `${NOTES} ${index === 0 ? 'add -f' : 'append'} -F - ${commit} <<'${END}'\n${part.join('\n')}\n${END}`);
}
