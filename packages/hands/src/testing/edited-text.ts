import { isSynapseError, type SynapseError } from '@synapse/protocol';
import { indexLines } from '../edit/lines.ts';
import { planEdits } from '../edit/plan-edits.ts';
import { spliceText } from '../edit/text-file.ts';

/** Returns a text after one edit, or the error that refuses the edit. For tests. */
export function editedText(text: string, [old_text, new_text]: readonly [old: string, fresh: string], path = 'a.ts'): string | SynapseError {
  try {
    const file = { path, text, lines: indexLines(text), version: 'v' };
    return spliceText(text, planEdits(file, [{ old_text, new_text, replace_all: false }], undefined).replacements);
  } catch (error) {
    if (isSynapseError(error)) return error;
    throw error;
  }
}
