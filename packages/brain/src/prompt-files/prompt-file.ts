import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** Maximum size of a file in a prompt. A larger one would fill the context on its own. */
const MAX_BYTES = 256 * 1024;

/** The workspace has no `SYSTEM_PROMPT.md`. */
export class SystemPromptNotFound extends Error {
  override readonly name = 'SystemPromptNotFound';
  /** The expected path of the file. */
  readonly path: string;

  constructor(path: string) {
    super(`System prompt not found: ${path}`);
    this.path = path;
  }
}

/** A file that is included in a prompt. */
export interface PromptFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads a file of the workspace for a prompt. Returns undefined if it is missing, a link, not a regular file, or too
 * large. Links are not followed: a link could send a private file of the user to the provider.
 */
export async function readPromptFile(workspace: string, path: string): Promise<PromptFile | undefined> {
  try {
    const full = join(workspace, path);
    await using file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    // Folders in the path must not be links either.
    if ((await realpath(dirname(full))) !== join(await realpath(workspace), dirname(path))) return undefined;
    return { path, text: await file.readFile('utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') return undefined;
    throw error;
  }
}

/** The operator's prompt for agents in a workspace. */
export const OPERATOR_FILE = 'SYSTEM_PROMPT.md';
/** A project's instructions for agents, in order of preference: the first one in a folder is used. */
export const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md'];

async function instructionsIn(workspace: string, folder: string): Promise<PromptFile | undefined> {
  for (const name of INSTRUCTION_FILES) {
    const found = await readPromptFile(workspace, join(folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the instructions for agents: those of the workspace, and the nearest ones at or above the working folder. */
export async function instructionFiles(workspace: string, folder = workspace): Promise<PromptFile[]> {
  const inner = relative(workspace, folder)
    .split(sep)
    .filter((name) => name !== '' && name !== '..');
  const root = await instructionsIn(workspace, '');
  for (let depth = inner.length; depth > 0; depth -= 1) {
    const nearest = await instructionsIn(workspace, join(...inner.slice(0, depth)));
    if (nearest !== undefined) return root === undefined ? [nearest] : [root, nearest];
  }
  return root === undefined ? [] : [root];
}
