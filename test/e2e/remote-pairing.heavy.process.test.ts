import { cp, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { device, pair } from './device.ts';
import { going } from './going.ts';
import { runCli } from './run-cli.ts';
import { onTerminal } from './talk.ts';

const fingerprintOf = (text: string, label: string): string | undefined =>
  new RegExp(`${label}: +((?:[0-9A-F]{4} ?){8})`, 'u').exec(text)?.[1]?.trim();

it('a relay demands pairing; a paired device calls, and a revoked one is refused', { timeout: 120_000 }, async () => {
  const [host, desk, away] = await Promise.all([device(), device({ 'a.txt': 'hello\n' }), device()]);
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const remote = `${url}#desk`;
  const read = ['call', 'read_file', '{"path":"a.txt"}', '--remote', remote];

  const refused = await runCli(away, read);
  expect(refused).toMatchObject({ code: 3, out: '' });
  expect(refused.err).toContain('Pair this machine again: synapse pair');

  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  const { offered, joined } = await pair({ desk, away, url, name: 'desk', options: ['--tools', 'read_file,edit_file'], invitation });
  const shown = offered.join('\n');
  expect(fingerprintOf(joined.err, 'Its fingerprint')).toBe(fingerprintOf(shown, 'This device'));
  expect(fingerprintOf(joined.err, 'This device')).toBe(fingerprintOf(shown, 'Its fingerprint'));

  await using machine = going(desk, ['connect', url, '--name', 'desk', '--allow', 'write,exec']);
  await machine.said(/^Connected/u);
  expect(await runCli(away, read)).toMatchObject({ code: 0, out: 'hello\n' });
  const outOfScope = await runCli(away, ['call', 'list_directory', '{"path":"."}', '--remote', remote]);
  expect(outOfScope.code).toBe(3);
  expect(outOfScope.err).toContain('does not include list_directory');
  // Nor does a tool of the grant reach another one.
  const edit = { path: 'a.txt', edits: [{ old_text: 'hello', new_text: 'Hello' }], then: 'touch ran.txt' };
  const edited = await runCli(away, ['call', 'edit_file', JSON.stringify(edit), '--remote', remote]);
  expect(edited.err).toContain('run_command is not offered here');

  const { devices } = JSON.parse((await runCli(desk, ['pair', 'list', '--json'])).out) as { devices: { id: string }[] };
  const revoked = await runCli(desk, ['pair', 'revoke', devices[0]?.id.slice(0, 8) ?? '']);
  expect(revoked).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Revoked: .+\ndesk: ended 0 running calls, 0 background jobs and 0 forwarded ports\.\n$/u) as string,
  });
  await expect.poll(async () => (await runCli(away, read)).err).toContain('may not use the session');
  for (const words of [read, ['tools', '--remote', remote], ['mcp', '--remote', remote]]) expect((await runCli(away, words)).code).toBe(3);
  const { machines } = JSON.parse((await runCli(host, ['relay', 'machines', '--json'])).out) as { machines: { name: string }[] };
  expect((await runCli(host, ['relay', 'remove', machines[0]?.name ?? ''])).code).toBe(0);
  await machine.said(/does not accept this key/u);
  await expect.poll(() => machine.child.exitCode).toBe(3);

  // Private keys are in files of their owner alone, and nowhere in the projects.
  for (const place of [host, desk, away]) expect(await readdir(place.folder)).toEqual(place === desk ? ['a.txt'] : []);
  const keys = join(desk.environment['XDG_CONFIG_HOME'] ?? '', 'synapse', 'keys', 'device.json');
  expect((await stat(keys)).mode & 0o777).toBe(0o600);
  const { sign } = JSON.parse(await readFile(keys, 'utf8')) as { sign: string };
  expect([...relay.lines, ...machine.lines, ...offered].join('\n')).not.toContain(sign);
});

it('the line that a relay prints lets a machine into that relay, wherever its folder is', { timeout: 60_000 }, async () => {
  const owner = await device();
  await using relay = going(owner, ['relay', '--port', '0', '--data', "it's here"]);
  const [, line = ''] = /: synapse (relay invite.*)$/u.exec(await relay.said(/^No machine may use it yet/u)) ?? [];
  const [, folder = ''] = /^relay invite --data '(.*)'$/u.exec(line) ?? [];
  const invited = await runCli(owner, ['relay', 'invite', '--data', folder.replaceAll(String.raw`'\''`, "'")]);
  expect(invited).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}\n$/u) as string });
  expect(await readFile(join(owner.folder, "it's here", 'invitation.json'), 'utf8')).toContain('{');
});

it('the line that pairing prints serves the folder, which was not tracked before', { timeout: 60_000 }, async () => {
  const [host, tracked, away] = await Promise.all([device(), device(), device()]);
  const desk = { ...tracked, folder: await mkdtemp(join(tmpdir(), 'synapse-untracked-')) };
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  const { offered } = await pair({ desk, away, url, name: 'desk', invitation });
  const line = /Serve it: synapse (connect .*)$/mu.exec(offered.join('\n'))?.[1] ?? '';
  await using machine = going(desk, line.split(' '));
  expect(await machine.said(/^Connected/u)).toBe('Connected.');
});

it('connect and pair offer to track the folder before anything else; none is paired that cannot be served', { timeout: 120_000 }, async () => {
  const desk = await device();
  await runCli(desk, ['projects', 'remove']);
  // Nothing listens there: what is said, is said before.
  const [relay, name] = ['ws://127.0.0.1:1', ['--name', 'desk']];
  const missing = await runCli(desk, ['pair', relay, ...name, '--workspace', 'none']);
  expect(missing).toMatchObject({ code: 5, err: expect.stringContaining('does not exist') as string });
  for (const command of ['connect', 'pair']) {
    const refused = await onTerminal(desk, [command, relay, ...name], [['Work in it? [y/N]', 'n\r']]);
    expect(refused).toMatchObject({ code: 3, screen: expect.stringContaining('Project not tracked') as string });
  }
  const unasked = await runCli(desk, ['connect', relay, ...name]);
  expect(unasked).toMatchObject({ code: 3, err: expect.stringContaining(`synapse projects add ${await realpath(desk.folder)}`) as string });
  const agreed = await onTerminal(
    desk,
    ['connect', relay, ...name],
    [
      ['Work in it? [y/N]', 'y\r'],
      ['Serving', '\u0003'],
    ],
  );
  expect(agreed.screen).toContain('is a tracked project now');
});

it(
  'a relay that is set back to an earlier backup does not end a machine, nor one that is started again meanwhile',
  { timeout: 180_000 },
  async () => {
    const [host, desk, away] = await Promise.all([device(), device({ 'a.txt': 'hello\n' }), device()]);
    const [data, backup] = [join(host.folder, 'data'), join(host.folder, 'backup')];
    let port = '0';
    const serve = () => going(host, ['relay', '--port', port, '--data', data]);
    let url: string;
    {
      await using relay = serve();
      url = await relay.said(/^ws:/u);
      port = new URL(url).port;
      const invitation = (await runCli(host, ['relay', 'invite', '--data', data])).out.trim();
      await pair({ desk, away, url, name: 'desk', invitation });
    }
    await cp(data, backup, { recursive: true });
    const words = ['connect', url, '--name', 'desk'];
    const refused = /does not accept this key.*may be those of a backup/u;
    // From before the machine was enrolled.
    const restore = () => rm(data, { recursive: true });
    {
      await using machine = going(desk, words);
      {
        await using _relay = serve();
        await machine.said(/^Connected/u);
      }
      await restore();
      await using _relay = serve();
      await machine.said(refused);
    }
    await using again = going(desk, words);
    {
      await using _relay = serve();
      await again.said(refused);
    }
    await rm(data, { recursive: true, force: true });
    await cp(backup, data, { recursive: true });
    await using _relay = serve();
    await again.said(/^Connected/u);
    expect(await runCli(away, ['call', 'read_file', 'path=a.txt', '--remote', `${url}#desk`])).toMatchObject({
      code: 0,
      out: expect.stringContaining('hello') as string,
    });
    // The control: a machine with other keys, which this relay never let in, ends.
    const other = await device();
    await pair({ desk: other, away, url, name: 'other', invitation: (await runCli(host, ['relay', 'invite', '--data', data])).out.trim() });
    await rm(join(other.environment['XDG_CONFIG_HOME'] ?? '', 'synapse', 'keys'), { recursive: true });
    expect((await runCli(other, ['connect', url, '--name', 'other'])).code).toBe(3);
  },
);
