import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** Returns wrangler's program; undefined if it is not installed. It is no dependency of the project: with its own copy of workerd it has 230 MB. */
function findWrangler(): string | undefined {
  try {
    const found = createRequire(join(process.env['SYNAPSE_WRANGLER'] ?? root, 'package.json')).resolve('wrangler/package.json');
    return join(dirname(found), 'bin', 'wrangler.js');
  } catch {
    // Not installed.
    return undefined;
  }
}

/** Copies the example, as its instructions say, with the packages as they are built. */
async function copyExample(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-relay-worker-'));
  await cp(join(root, 'examples', 'relay-worker'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'my-relay', private: true, type: 'module' }));
  await mkdir(join(folder, 'node_modules', '@synapse'), { recursive: true });
  for (const name of ['remote', 'protocol']) await symlink(join(root, 'packages', name), join(folder, 'node_modules', '@synapse', name));
  return folder;
}

it('the configuration of the example names what its Worker exports', async () => {
  const folder = await copyExample();
  const text = await readFile(join(folder, 'wrangler.jsonc'), 'utf8');
  const classes = [...text.matchAll(/"class_name": "(\w+)"/gu)].map(([, name]) => name);
  const [, migrated = ''] = /"new_sqlite_classes": \[([^\]]*)\]/u.exec(text) ?? [];
  expect(classes).toEqual(['SessionObject', 'AccountObject']);
  // Without SQLite, an object has no storage that survives as the protocol needs it.
  expect([...migrated.matchAll(/"(\w+)"/gu)].map(([, name]) => name)).toEqual(classes);
  const worker = await readFile(join(folder, 'worker.ts'), 'utf8');
  for (const name of [...classes, 'default']) expect(worker).toMatch(new RegExp(`export \\{[^}]*\\b${name}\\b`, 'u'));
});

it('wrangler accepts the example', { timeout: 180_000 }, async ({ skip }) => {
  const wrangler = findWrangler() ?? skip('wrangler is not installed here: npm install wrangler in a folder, and name it in SYNAPSE_WRANGLER.');
  const folder = await copyExample();
  const environment = { PATH: process.env['PATH'], HOME: folder, CI: '1', WRANGLER_SEND_METRICS: 'false' };
  const words = [wrangler, 'deploy', '--dry-run', '--outdir', 'out'];
  const { stdout } = await run(process.execPath, words, { cwd: folder, env: environment });
  expect(stdout).toContain('env.SESSIONS (SessionObject)');
  expect(stdout).toContain('env.ACCOUNT (AccountObject)');
  expect(stdout).toContain('--dry-run: exiting now.');
  expect((await readFile(join(folder, 'out', 'worker.js'), 'utf8')).length).toBeLessThan(3_000_000);
});
