import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHands } from '../runtime/create-hands.ts';
import type { Hands } from '../runtime/hands.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import type { AnyTool } from '../tool/tool.ts';

/** Hands on a temporary folder, which the run of the tests removes at its end. For tests. */
export interface TemporaryHands<Tool extends AnyTool = never> extends AsyncDisposable {
  readonly hands: Hands<Tool>;
  /** The workspace. */
  readonly folder: string;
  /** A folder next to the workspace that must not be reached. */
  readonly outside: string;
  /** Returns the path of a file in the workspace. */
  readonly at: (path: string) => string;
}

/** Creates a workspace with the given files and opens hands on it. */
export async function temporaryHands<Tool extends AnyTool = never>(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<HandsOptions<Tool>, 'workspace'> = {},
): Promise<TemporaryHands<Tool>> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-test-')));
  const folder = join(base, 'workspace');
  const outside = join(base, 'outside');
  await mkdir(folder);
  await mkdir(outside);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const hands = await createHands({ workspace: folder, stateFolder: join(base, 'state'), allow: ['write', 'exec'], ...options });
  return {
    hands,
    folder,
    outside,
    at: (path) => join(folder, path),
    [Symbol.asyncDispose]: () => hands[Symbol.asyncDispose](),
  };
}
