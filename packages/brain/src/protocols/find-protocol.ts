import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { readPromptFile } from '../prompt-files/prompt-file.ts';
import { BUILT_IN_PROTOCOLS } from './built-in-protocols.ts';
import { readProtocol } from './read-protocol.ts';
import type { ReasoningProtocol } from './reasoning-protocol.ts';

/** Where a project keeps protocols of its own, relative to the workspace. */
const FOLDER = '.synapse/protocols';

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted();
  } catch {
    // The project has none.
    return [];
  }
}

/**
 * All protocols: those that are built in, then those of the project's `.synapse/protocols`.
 *
 * @throws SynapseError `invalid_arguments` for a file that is no protocol, with its lines
 */
export async function listProtocols(workspace: string): Promise<ReasoningProtocol[]> {
  const own: ReasoningProtocol[] = [];
  for (const name of await namesIn(join(workspace, FOLDER))) {
    const file = await readPromptFile(workspace, join(FOLDER, name));
    if (file !== undefined) own.push(readProtocol(file.text, file.path));
  }
  return [...BUILT_IN_PROTOCOLS, ...own];
}

/**
 * The protocol of an id.
 *
 * @throws SynapseError `not_found` with the ids that there are
 */
export async function findProtocol(workspace: string, id: string): Promise<ReasoningProtocol> {
  const all = await listProtocols(workspace);
  const found = all.find((protocol) => protocol.id === id);
  if (found !== undefined) return found;
  throw new SynapseError('not_found', `Protocol not found: ${id.slice(0, 80)}`, {
    hint: `Protocols: ${all.map((protocol) => protocol.id).join(', ')}`,
  });
}
