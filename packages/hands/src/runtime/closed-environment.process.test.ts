import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';

/** Another user is needed whose folders are closed to it: those of root are. */
const hasOther = process.getuid?.() === 0 && CHECKOUT_USERS.includes('user');

it.skipIf(!hasOther).each<readonly [what: string, set: (closed: string) => string]>([
  ['PATH names a folder that is closed to the user', (closed) => `process.env.PATH = ${JSON.stringify(`${closed}/bin:`)} + process.env.PATH;`],
  ['the home folder is closed to the user', (closed) => `process.env.HOME = ${JSON.stringify(closed)};`],
])('commands run where %s', { timeout: 60_000 }, async (_, set) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-closed-')));
  const closed = join(base, 'closed');
  mkdirSync(join(closed, 'bin'), { recursive: true });
  chmodSync(closed, 0o700);
  for (const name of ['workspace', 'state', 'config']) {
    mkdirSync(join(base, name));
    chmodSync(join(base, name), 0o777);
  }
  chmodSync(base, 0o755);
  const script = `
    ${set(closed)}
    const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
    const folders = { workspace: ${JSON.stringify(join(base, 'workspace'))}, stateFolder: ${JSON.stringify(join(base, 'state'))}, configFolder: ${JSON.stringify(join(base, 'config'))} };
    await using hands = await createHands({ ...folders, allow: ['write', 'exec'] });
    const result = await hands.call('run_command', { command: 'echo found > a; cat a' });
    console.log(JSON.stringify([result.ok, result.ok ? result.data.output : result.error.message]));`;
  expect(JSON.parse(await runScript(script, { asOther: true }).output)).toEqual([true, 'found\n']);
});
