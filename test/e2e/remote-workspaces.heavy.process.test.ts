import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { device, pair } from './device.ts';
import { going } from './going.ts';
import { runCli, startCli, outcome, type Place } from './run-cli.ts';

/** A folder of a machine with one file, which says which folder it is. */
async function project(name: string): Promise<string> {
  const folder = join(await realpath(await mkdtemp(join(tmpdir(), 'synapse-projects-'))), name);
  await mkdir(folder);
  await writeFile(join(folder, 'which.txt'), `${name}\n`);
  return folder;
}

it('serves several workspaces under one pairing, each with its own grant', { timeout: 240_000 }, async () => {
  const [host, desk, away, web, secret] = await Promise.all([
    device(),
    device({ 'which.txt': 'home\n' }),
    device(),
    project('storefront'),
    project('payroll'),
  ]);
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  await pair({ desk, away, url, name: 'desk', invitation });
  await runCli(desk, ['projects', 'add', secret]);
  const { grants } = JSON.parse((await runCli(desk, ['pair', 'grants', '--json'])).out) as {
    grants: { identity: string; name: string; project: string }[];
  };
  const home = grants[0]?.project ?? '';
  expect(grants).toMatchObject([{ home: true, project: basename(desk.folder) }]);
  const name = grants[0]?.name ?? '';

  await using machine = going(desk, ['connect', url, '--name', 'desk', '--all', '--allow', 'write,exec']);
  await machine.said(/^Connected/u);
  const read = (where: string) => runCli(away, ['call', 'read_file', '{"path":"which.txt"}', '--json', '--remote', `${url}#desk${where}`]);
  const names = async (): Promise<string> => (await runCli(away, ['pair', 'workspaces', `${url}#desk`])).out;
  expect(await names()).toBe(`${home}\n`);
  expect((await read('/storefront')).err + (await read('/storefront')).out).toContain('No workspace of this device is called');

  // Granted while the machine serves.
  const granted = await runCli(desk, ['pair', 'grants', name, '--workspace', web, '--tools', 'read_file,run_command,job', '--ports', 'own']);
  expect(granted).toMatchObject({ code: 0 });
  await expect.poll(names).toBe(`${home}\nstorefront\n`);
  for (const [where, says] of [
    ['', 'home'],
    [`/${home}`, 'home'],
    ['/storefront', 'storefront'],
  ] as const)
    expect(await read(where)).toMatchObject({ code: 0, out: expect.stringContaining(`${says}\\n`) as string });
  const list = await runCli(away, ['call', 'list_directory', '{"path":"."}', '--remote', `${url}#desk/storefront`]);
  expect(list).toMatchObject({ code: 3, err: expect.stringContaining('does not include list_directory') as string });

  // A workspace that is not granted answers as one that does not exist.
  for (const other of ['payroll', secret, '../payroll', 'storefront/../payroll', 'STOREFRONT', 'Payroll', '.', '..', '__proto__', `${web}/`]) {
    const { code, out } = await read(`/${encodeURIComponent(other)}`);
    const { error } = JSON.parse(out) as { error: { message: string } };
    expect([code, error.message]).toEqual([3, `No workspace of this device is called ${JSON.stringify(other)}. It may use: ${home}, storefront.`]);
    const tools = await runCli(away, ['tools', '--remote', `${url}#desk/${encodeURIComponent(other)}`]);
    expect(tools).toMatchObject({ code: 3, out: '', err: expect.stringContaining(error.message) as string });
  }

  // A grant that is taken away while a call runs under it.
  const words = ['call', 'run_command', '{"command":"echo begun; touch left.txt; sleep 100"}', '--remote', `${url}#desk/storefront`];
  await using running = going(away, words);
  await running.said(/^begun/u);
  const removed = await runCli(desk, ['pair', 'grants', name, '--workspace', web, '--remove']);
  expect(removed).toMatchObject({ code: 0, err: 'Removed: storefront\ndesk: ended 1 running call, 0 background jobs and 0 forwarded ports.\n' });
  await expect.poll(() => running.child.exitCode).not.toBeNull();
  expect(await read('/storefront')).toMatchObject({ code: 3 });
  expect(await read('')).toMatchObject({ code: 0 });

  // The relay knows none of the names: neither its output nor its disk has one.
  const state = host.environment['XDG_STATE_HOME'] ?? '';
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const kept = await Promise.all(entries.flatMap((entry) => (entry.isFile() ? [readFile(join(entry.parentPath, entry.name), 'latin1')] : [])));
  expect(kept.join('')).toContain('desk');
  expect([...relay.lines, ...kept].join('\n')).not.toMatch(new RegExp(`storefront|payroll|${home}`, 'u'));
});

it('a machine that serves one folder, or several without pairing, takes names too', { timeout: 180_000 }, async () => {
  const [desk, web] = await Promise.all([device({ 'which.txt': 'home\n' }), project('web')]);
  const away: Place = await device();
  await using relay = going(desk, ['relay', '--dev', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const read = (where: string) => outcome(startCli(away, ['call', 'read_file', '{"path":"which.txt"}', '--remote', `${url}#desk${where}`]));
  const home = basename(desk.folder);
  {
    await using machine = going(desk, ['connect', url, '--name', 'desk']);
    await machine.said(/^Connected/u);
    expect(await read(`/${home}`)).toMatchObject({ code: 0, out: 'home\n' });
    expect(await read('/web')).toMatchObject({ code: 3, out: '' });
  }
  await using machine = going(desk, ['connect', url, '--name', 'desk', '--project', '.', '--project', web]);
  await machine.said(/^Connected/u);
  expect(await read('')).toMatchObject({ code: 0, out: 'home\n' });
  expect(await read('/web')).toMatchObject({ code: 0, out: 'web\n' });
});

it.each([
  [['--all', '--project', '.'], 'Too many folders.'],
  [['--all', '--workspace', '.'], 'Too many folders.'],
  [['--project', 'none'], 'does not exist'],
])('connect %j: %s', async (options, message) => {
  const refused = await runCli(await device(), ['connect', 'ws://127.0.0.1:1', '--name', 'desk', ...options]);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain(message);
});
