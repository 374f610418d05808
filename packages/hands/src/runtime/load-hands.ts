import type { AnyTool } from '../tool/tool.ts';
import type { Hands } from './hands.ts';
import type { HandsOptions } from './hands-options.ts';

/**
 * Opens hands on a folder.
 *
 * @throws SynapseError `not_found`, `wrong_type` or `denied` for a folder that cannot be a workspace, or is no tracked project;
 *   `invalid_arguments` for options that are unknown or not what they must be
 * @example
 * await using hands = await createHands({ workspace: '.', allow: ['write'] });
 * await hands.call('write_file', { path: 'hello.txt', content: 'Hello\n' });
 */
export async function createHands<Tool extends AnyTool = never>(options: HandsOptions<Tool>): Promise<Hands<Tool>> {
  // Most of the library: a program that imports it, and opens no hands, does without.
  const [runtime, { checkedHands }] = await Promise.all([import('./create-hands.ts'), import('./checked-hands.ts')]);
  return checkedHands(await runtime.createHands(options));
}
