import { probeSandbox } from '@synapse/hands/internal';
import { grants } from './open-hands.ts';
import type { Output } from '../output/output.ts';

/** Warns before the first command if commands are not sandboxed. */
export async function tellNotSandboxed(
  { sandbox, allow }: { readonly sandbox?: string | undefined; readonly allow: readonly string[] },
  err: Output,
): Promise<void> {
  if (sandbox === 'none') {
    err.write('Commands are not sandboxed: --sandbox none. They run with your rights, and undo does not cover them.\n', 'yellow');
    return;
  }
  // If a sandbox is required and none works, no command runs at all.
  if (sandbox === 'required' || !grants({ allow }).has('exec')) return;
  const [found] = await probeSandbox();
  if (found === undefined || found.ok) return;
  err.write(`No sandbox works here, so commands are not sandboxed: ${found.detail}.${found.fix === undefined ? '' : ` ${found.fix}`}\n`, 'yellow');
}
