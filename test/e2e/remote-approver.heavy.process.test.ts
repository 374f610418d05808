import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { device, pair } from './device.ts';
import { going } from './going.ts';
import { runCli } from './run-cli.ts';
import { onTerminal } from './talk.ts';

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

it('a device that the owner made an approver answers questions, and nothing happens without its yes', { timeout: 180_000 }, async () => {
  const [host, desk, away, phone] = await Promise.all([device(), device(), device(), device()]);
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const remote = `${url}#desk`;
  const write = (path: string): string[] => ['call', 'write_file', JSON.stringify({ path, content: 'far\n' }), '--remote', remote];
  const file = (path: string): string => join(desk.folder, path);

  await pair({ desk, away, url, name: 'desk', invitation: (await runCli(host, ['relay', 'invite'])).out.trim() });
  await using machine = going(desk, ['connect', url, '--name', 'desk']);
  await machine.said(/^Connected/u);
  // Without an approver, the call needs an approval that it cannot get.
  expect(await runCli(away, write('early.txt'))).toMatchObject({ code: 4, out: '' });

  await pair({ desk, away: phone, url, name: 'desk', options: ['--approver'] });
  // The agent's device is none, whatever it runs.
  const own = await onTerminal(away, ['pair', 'approve', remote], [['Waiting for questions', '\u0003']]);
  expect(own).toMatchObject({ code: 130, screen: expect.stringContaining('Ctrl+C ends it') as string });
  // An approver makes no calls.
  expect(await runCli(phone, write('phone.txt'))).toMatchObject({ code: 3 });

  // The control: while the answer is withheld, the call neither runs nor ends.
  await using withheld = going(away, write('withheld.txt'));
  await withheld.said(/^Waiting for approval of write_file/u);
  expect({ exists: await exists(file('withheld.txt')), code: withheld.child.exitCode }).toEqual({ exists: false, code: null });
  const ended = once(withheld.child, 'exit');
  withheld.child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);

  await using allowed = going(away, write('allowed.txt'));
  await allowed.said(/^Waiting for approval of write_file/u);
  await using denied = going(away, [...write('denied.txt'), '--json']);
  await denied.said(/^Waiting for approval of write_file/u);
  const ends = Promise.all([once(allowed.child, 'close'), once(denied.child, 'close')]);
  const approving = onTerminal(
    phone,
    ['pair', 'approve', remote],
    [
      ['allowed.txt', 'y\r'],
      ['denied.txt', 'n\r'],
      ['Why?', '\r'],
    ],
  );
  expect(await ends).toEqual([
    [0, null],
    [3, null],
  ]);
  expect(await readFile(file('allowed.txt'), 'utf8')).toBe('far\n');
  expect(denied.lines.join('\n')).toContain("Denied on the agent's side");

  const { devices } = JSON.parse((await runCli(desk, ['pair', 'list', '--json'])).out) as { devices: { id: string; role: string }[] };
  const approver = devices.find(({ role }) => role === 'approver');
  expect((await runCli(desk, ['pair', 'revoke', approver?.id.slice(0, 8) ?? ''])).code).toBe(0);
  const { code, screen } = await approving;
  expect({ code, screen }).toMatchObject({ code: 3, screen: expect.stringContaining('may not use the session') as string });
  expect(screen.indexOf('allowed.txt')).toBeLessThan(screen.indexOf('denied.txt'));
  for (const path of ['early.txt', 'phone.txt', 'withheld.txt', 'denied.txt']) expect(await exists(file(path))).toBe(false);
});

it('a device that may approve calls of a tool is asked at its terminal, and about no other tool', { timeout: 180_000 }, async () => {
  const [host, desk, away, stranger] = await Promise.all([device(), device(), device(), device()]);
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const remote = `${url}#desk`;
  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  const { joined } = await pair({ desk, away, url, name: 'desk', invitation, options: ['--approves', 'write_file'] });
  expect(joined.err).toContain(`Its tools: synapse tools --remote ${remote}`);
  await using machine = going(desk, ['connect', url, '--name', 'desk']);
  await machine.said(/^Connected/u);
  const call = (tool: string, input: unknown): string[] => ['call', tool, JSON.stringify(input), '--remote', remote];

  const yes = await onTerminal(away, call('write_file', { path: 'yes.txt', content: 'far\n' }), [['yes, this once', 'y\r']]);
  expect(yes).toMatchObject({ code: 0, screen: expect.not.stringContaining('Waiting for approval') as string });
  expect(await readFile(join(desk.folder, 'yes.txt'), 'utf8')).toBe('far\n');
  const no = await onTerminal(away, call('write_file', { path: 'no.txt', content: '' }), [
    ['yes, this once', 'n\r'],
    ['Why?', '\r'],
  ]);
  expect(no.code).toBe(3);
  expect(await exists(join(desk.folder, 'no.txt'))).toBe(false);
  // Nobody can be asked about another tool, so there is no question here.
  expect(await onTerminal(away, call('delete_file', { path: 'yes.txt' }), [])).toMatchObject({ code: 4 });
  // Without a terminal, it says where the question can be answered.
  await using piped = going(away, call('write_file', { path: 'no.txt', content: '' }));
  expect(await piped.said(/^Waiting for approval/u)).toContain('or here if you run this in a terminal');

  const unknown = await runCli(stranger, call('read_file', { path: 'yes.txt' }));
  expect(unknown).toMatchObject({ code: 3, err: expect.stringContaining(`Pair it: synapse pair ${remote}`) as string });
});
