import { probeSandbox } from '@synapse/hands/internal';
import { grants } from './open-hands.ts';
import type { Output } from '../output/output.ts';

/** Warns before the first command if commands are not sandboxed, or not by bubblewrap. */
export async function tellNotSandboxed(
  { sandbox, allow }: { readonly sandbox?: string | undefined; readonly allow: readonly string[] },
  err: Output,
): Promise<void> {
  if (sandbox === 'none') {
    err.write('Commands are not sandboxed: --sandbox none. They run with your rights, and undo does not cover them.\n', 'yellow');
    return;
  }
  // If a sandbox is required and none works, no command runs at all.
  if ((sandbox ?? 'auto') !== 'auto' || !grants({ allow }).has('exec')) return;
  const checks = await probeSandbox();
  const found = checks.find(({ name }) => name === 'sandbox');
  if (found === undefined || found.ok) return;
  if (checks.some(({ name, ok }) => name === 'landlock' && ok)) {
    err.write(`Not in bubblewrap: ${found.detail}.\n`, 'yellow');
    return;
  }
  err.write(`No sandbox works here, so commands are not sandboxed: ${found.detail}.${found.fix === undefined ? '' : ` ${found.fix}`}\n`, 'yellow');
}
