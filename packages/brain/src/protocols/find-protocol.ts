import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import { readPromptFile } from '../prompt-files/prompt-file.ts';
import { BUILT_IN_PROTOCOLS } from './built-in-protocols.ts';
import { readProtocol } from './read-protocol.ts';
import type { ReasoningProtocol } from './reasoning-protocol.ts';

/** Folder of a project's own protocols, relative to the workspace. */
const FOLDER = '.synapse/protocols';

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted();
  } catch {
    // The project has no protocols.
    return [];
  }
}

/** The built-in protocols and those of a project, and the errors of invalid protocol files by path. */
export interface KnownProtocols {
  readonly protocols: readonly ReasoningProtocol[];
  readonly problems: ReadonlyMap<string, SynapseError>;
}

/**
 * Lists all protocols: the built-in ones, then those in the project's `.synapse/protocols`. Does not throw for invalid files.
 *
 * @param workspace undefined for the built-in ones only
 */
export async function listProtocols(workspace: string | undefined): Promise<KnownProtocols> {
  const own: ReasoningProtocol[] = [];
  const problems = new Map<string, SynapseError>();
  for (const name of workspace === undefined ? [] : await namesIn(join(workspace, FOLDER))) {
    const path = join(FOLDER, name);
    try {
      const file = await readPromptFile(workspace ?? '', path);
      if (file !== undefined) own.push({ ...readProtocol(file.text, file.path), file: file.path });
    } catch (error) {
      problems.set(path, toSynapseError(error));
    }
  }
  return { protocols: [...BUILT_IN_PROTOCOLS, ...own], problems };
}

/**
 * Returns the protocol with an id.
 *
 * @throws SynapseError `not_found` with the known ids; `invalid_arguments` with the lines of its errors if the file of the id is invalid
 */
export async function findProtocol(workspace: string | undefined, id: string): Promise<ReasoningProtocol> {
  const { protocols, problems } = await listProtocols(workspace);
  const found = protocols.find((protocol) => protocol.id === id);
  if (found !== undefined) return found;
  const problem = problems.get(join(FOLDER, `${id}.md`));
  if (problem !== undefined) throw problem;
  const unread = Array.from(problems.values(), ({ message }) => `\n${message}`);
  throw new SynapseError('not_found', `Protocol not found: ${id.slice(0, 80)}`, {
    hint: `Protocols: ${protocols.map((protocol) => protocol.id).join(', ')}${unread.join('')}`,
  });
}
