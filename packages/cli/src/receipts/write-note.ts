import {
  canonicalJson,
  defaultStateFolder,
  MAX_NOTE_LINE_BYTES,
  noteCommands,
  noteLine,
  notesLeadElsewhere,
  openRoot,
  type NewestReceipt,
  type Receipts,
} from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { openHands, type OpeningIo } from '../hands/open-hands.ts';

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
  const lines = valid.map(({ call }) => canonicalJson(receipts.receipt(receipts.call(call))));
  if (lines.length === 0) throw new SynapseError('not_found', 'No command ran on these files, so there is no receipt for a note.');
  const long = lines.find((line) => Buffer.byteLength(line) > MAX_NOTE_LINE_BYTES - 1);
  if (long !== undefined)
    throw new SynapseError('too_large', 'A receipt is too long for a note.', { hint: 'Keep it as a file: synapse receipt CALL.' });
  {
    using confinement = openRoot(workspace ?? '.', defaultStateFolder()).confinement;
    if (notesLeadElsewhere(confinement) === true)
      throw new SynapseError('conflict', 'refs/notes/synapse is another name of a branch or of a file, which the note would replace.', {
        hint: 'Look at .git/refs/notes/synapse, and remove it: git symbolic-ref --delete refs/notes/synapse',
      });
  }
  await using hands = await openHands({ workspace, yes: true }, { ...io, signal });
  for (const command of noteCommands(commit, [...valid.map((one) => noteLine(one)), ...lines])) {
    const result = await hands.call('run_command', { command }, { signal, foreground: true });
    if (!result.ok) throw new SynapseError(result.error.code, result.error.message);
    if (result.data.exit_code !== 0)
      throw new SynapseError('tool_failed', `git could not write the note: ${result.data.output.trim().slice(0, 500)}`);
  }
  return lines.length;
}
