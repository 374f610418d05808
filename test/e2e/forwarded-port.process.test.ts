import { expect, it } from 'vitest';
import { device, pair } from './device.ts';
import { going } from './going.ts';
import { runCli } from './run-cli.ts';

const SERVER = String.raw`use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 3000, ReuseAddr => 1, Listen => 9) or die;
while (my $client = $server->accept) {
  my ($path) = <$client> =~ /^GET (\S+)/;
  while (<$client> ne "\r\n") {}
  print $client "HTTP/1.0 200 OK\r\n\r\nyou asked for $path";
  close $client;
}
`;

it('a server that a job runs on another machine answers here, until the access of this device is revoked', { timeout: 180_000 }, async () => {
  const [host, desk, away] = await Promise.all([device(), device({ 'server.pl': SERVER }), device()]);
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const remote = ['--remote', `${url}#desk`];
  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  await pair({ desk, away, url, name: 'desk', options: ['--ports', 'own'], invitation });
  expect((await runCli(desk, ['pair', 'list'])).out).toContain('ports of its jobs');
  await using machine = going(desk, ['connect', url, '--name', 'desk', '--allow', 'write,exec']);
  await machine.said(/^Connected/u);

  const start = { command: 'perl server.pl', background: true, wait_port: 3000 };
  const started = await runCli(away, ['call', 'run_command', JSON.stringify(start), '--json', ...remote]);
  const { data } = JSON.parse(started.out) as { data: { job: { id: string } | null } };
  if (data.job === null) throw new Error(started.out);
  const { id } = data.job;

  const unknown = await runCli(away, ['jobs', 'forward', id, '--port', '22', ...remote]);
  expect(unknown).toMatchObject({
    code: 5,
    out: '',
    err: expect.stringContaining(`${id} does not listen on port 22.\nIt listens on 3000.`) as string,
  });
  expect((await runCli(away, ['jobs', 'forward', id, '--workspace', '.', ...remote])).code).toBe(2);
  expect((await runCli(away, ['jobs', 'forward', id, '--local-port', '1'])).code).toBe(2);

  await using forward = going(away, ['jobs', 'forward', id.slice(0, 9), '--json', ...remote]);
  const told = JSON.parse(await forward.said(/^\{/u)) as { url: string; port: number };
  expect(told).toMatchObject({ url: `http://127.0.0.1:${told.port}/`, job: id, job_port: 3000 });
  expect(await (await fetch(`${told.url}page`, { headers: { connection: 'close' } })).text()).toBe('you asked for /page');

  const { devices } = JSON.parse((await runCli(desk, ['pair', 'list', '--json'])).out) as { devices: { id: string }[] };
  await runCli(desk, ['pair', 'revoke', devices[0]?.id.slice(0, 8) ?? '']);
  await expect.poll(() => forward.child.exitCode).toBe(3);
  await expect(fetch(told.url)).rejects.toThrow();
  const log = await runCli(desk, ['log', '--tool', 'forward_port']);
  expect(log.out).toMatch(new RegExp(`forward_port\\(${id}, 3000\\) → 1 connection, \\d+B in, \\d+B out, .*: This device has no access`, 'u'));
});
