import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const CREATE_HANDS = new URL('create-hands.ts', import.meta.url).href;
/** Makes the workspace a read-only mount of its own, and runs the rest there. */
const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
const UNSHARE = ['unshare', ...(process.geteuid?.() === 0 ? [] : ['--map-root-user']), '--mount', 'sh', '-c', READ_ONLY, 'sh'] as const;

function works(): boolean {
  const [program, ...words] = UNSHARE;
  return spawnSync(program, [...words, mkdtempSync(join(tmpdir(), 'synapse-mount-')), 'true']).status === 0;
}

const SCRIPT = `
const [workspace, stateFolder] = process.argv.slice(2);
const { createHands } = await import(${JSON.stringify(CREATE_HANDS)});
await using hands = await createHands({ workspace, stateFolder, allow: ['write', 'exec'], sandbox: 'auto' });
const told = async (tool, input) => {
  const result = await hands.call(tool, input);
  return result.ok ? result.output : result.error.message;
};
console.log(JSON.stringify([
  await told('write_file', { path: 'a.txt', content: 'x' }),
  await told('run_command', { command: 'echo x > b.txt' }),
  await told('run_program', { code: 'await hands.write_file({ path: "c.txt", content: "x" });' }),
]));
`;

it.runIf(works())('changes of a workspace that is mounted read-only say so, and none is lost', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-read-only-')));
  const [workspace, state] = [join(base, 'w'), join(base, 's')];
  for (const folder of [workspace, state]) mkdirSync(folder);
  writeFileSync(join(workspace, 'kept.txt'), 'kept\n');
  const [program, ...words] = UNSHARE;
  const script = join(base, 'script.mjs');
  writeFileSync(script, SCRIPT);
  const node = [process.execPath, '--conditions=synapse-source', script, workspace, state];
  const said = execFileSync(program, [...words, workspace, ...node], { encoding: 'utf8' });
  const [edit, command, made] = JSON.parse(said) as string[];
  expect(edit).toBe('a.txt is on a read-only file system.');
  expect(command).toMatch(/No changes were applied\. The workspace is on a read-only file system\. A person finds it with: synapse changes pending/u);
  expect(made).toMatch(/the workspace is unchanged, because the workspace is on a read-only file system\. The changes wait in a branch/u);
  expect(readdirSync(workspace)).toEqual(['kept.txt']);
});
