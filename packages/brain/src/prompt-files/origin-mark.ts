import { createHash } from 'node:crypto';
import { dataMarks } from '@synapse/hands/internal';
import type { PromptFile } from './prompt-file.ts';

/** 64 bits: a text that contains its own hash is not found in practice. */
const ID_CHARACTERS = 16;

/**
 * Returns a file of the workspace for a prompt, between marks with its path: it is only as trustworthy as the workspace, and must not
 * pass for another part of the prompt. The id depends on the text alone, so that providers can cache the prompt.
 *
 * @param as what the text is to the model
 */
export function markedByOrigin({ path, text }: PromptFile, as: string): string {
  const body = text.trim();
  const id = createHash('sha256').update(body).digest('hex').slice(0, ID_CHARACTERS);
  const { begin, end } = dataMarks(`${path} of the workspace`, { as, id });
  return `${begin}\n${body}\n${end()}`;
}
