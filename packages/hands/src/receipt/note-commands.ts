/** The ref that the action reads. */
const NOTES = 'git notes --ref=synapse';
/** Maximum bytes of a command: the kernel takes 128 kB for one argument. */
const MAX_COMMAND_BYTES = 120 * 1024;
/** Ends the text of a note. No line of it is this one: each is a JSON object, or says what a command came to. */
const END = 'END-OF-RECEIPTS';
/** A command that this file made, as a receipt shows it. Nothing may follow: a command that only begins like one is not left out. */
const MADE = new RegExp(String.raw`^${NOTES} (?:add -f|append) -F - [\da-f]{40,64} <<'${END}'\n\[\d+ bytes, [\da-f]+\]\n${END}$`, 'u');
/** Room for what is around the lines of a command. */
const AROUND_BYTES = 1024;
/** Maximum bytes of a line of a note. */
export const MAX_NOTE_LINE_BYTES = MAX_COMMAND_BYTES - AROUND_BYTES;
/** Maximum number of characters of a command in a line for people. */
const MAX_SHOWN = 200;
const ID_CHARACTERS = 8;
const MS_PER_SECOND = 1_000;

/** What a line for people tells of a command. */
interface NotedCommand {
  readonly call: string;
  readonly command: string;
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

/** The line about a receipt for people: `passed  npm test  12.3 s  3f2a91c0`. */
export function noteLine({ command, exit_code: code, duration_ms: duration, call }: NotedCommand): string {
  const outcome = code === 0 ? 'passed' : code === null ? 'ended' : `exit code ${code}`;
  const line = command.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN).toWellFormed()}…` : line;
  return `${outcome}  ${shown}  ${(duration / MS_PER_SECOND).toFixed(1)} s  ${call.slice(0, ID_CHARACTERS)}`;
}

/** Whether a command, as its receipt shows it, did nothing but write a note. */
export const isNoteCommand = (shown: string): boolean => MADE.test(shown);

/** The commands that make the note of a commit, in place of an earlier one. Lines that are too long for one are left out. */
export function noteCommands(commit: string, lines: readonly string[]): string[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1;
    if (length > MAX_NOTE_LINE_BYTES) continue;
    bytes += length;
    if (bytes > MAX_NOTE_LINE_BYTES) {
      parts.push([]);
      bytes = length;
    }
    parts.at(-1)?.push(line);
  }
  return parts.map((part, index) => `${NOTES} ${index === 0 ? 'add -f' : 'append'} -F - ${commit} <<'${END}'\n${part.join('\n')}\n${END}`);
}
