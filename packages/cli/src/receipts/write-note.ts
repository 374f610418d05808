import { canonicalJson, type NewestReceipt, type Receipts } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { openHands, type OpeningIo } from '../hands/open-hands.ts';

/** The ref that the action reads. */
const NOTES = 'git notes --ref=synapse';
/** Maximum bytes of a command: the kernel takes 128 kB for one argument. */
const MAX_COMMAND_BYTES = 120 * 1024;
/** Ends the text of a note. No line of it is this one: each is a JSON object. */
const END = 'END-OF-RECEIPTS';

/** The commands that make the note of a commit, with one receipt a line. */
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

/**
 * Writes receipts as the git note `synapse` of a commit, in place of an earlier one. Commands of Synapse write it, so it is recorded, and can be undone.
 *
 * @returns the number of receipts
 */
export async function writeNote(
  commit: string,
  valid: readonly NewestReceipt[],
  receipts: Receipts,
  { workspace, signal, ...io }: OpeningIo & { readonly workspace: string | undefined; readonly signal: AbortSignal },
): Promise<number> {
  const lines = valid.filter(({ command }) => !command.startsWith(NOTES)).map(({ call }) => canonicalJson(receipts.receipt(receipts.call(call))));
  if (lines.length === 0) throw new SynapseError('not_found', 'No command ran on these files, so there is no receipt for a note.');
  const long = lines.find((line) => Buffer.byteLength(line) > MAX_COMMAND_BYTES - 1_024);
  if (long !== undefined)
    throw new SynapseError('too_large', 'A receipt is too long for a note.', { hint: 'Keep it as a file: synapse receipt CALL.' });
  await using hands = await openHands({ workspace, yes: true }, { ...io, signal });
  for (const command of noteCommands(commit, lines)) {
    const result = await hands.call('run_command', { command }, { signal, foreground: true });
    if (!result.ok) throw new SynapseError(result.error.code, result.error.message);
    if (result.data.exit_code !== 0)
      throw new SynapseError('tool_failed', `git could not write the note: ${result.data.output.trim().slice(0, 500)}`);
  }
  return lines.length;
}
