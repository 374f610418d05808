import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { device, pair } from './device.ts';
import { going } from './going.ts';
import { runCli, type Place } from './run-cli.ts';

const SERVER = String.raw`use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 3000, ReuseAddr => 1, Listen => 9) or die;
while (my $client = $server->accept) {
  while (<$client> ne "\r\n") {}
  print $client "HTTP/1.0 200 OK\r\n\r\n$ARGV[0]";
  close $client;
}
`;

it('jobs and ports of a workspace are reached by those who may use it, and end with its grant', { timeout: 240_000 }, async () => {
  const [host, desk, away, guest] = await Promise.all([device(), device({ 'server.pl': SERVER }), device(), device()]);
  const web = join(await realpath(await mkdtemp(join(tmpdir(), 'synapse-projects-'))), 'storefront');
  await mkdir(web);
  await writeFile(join(web, 'server.pl'), SERVER);
  await using relay = going(host, ['relay', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const invitation = (await runCli(host, ['relay', 'invite'])).out.trim();
  await pair({ desk, away, url, name: 'desk', options: ['--ports', 'all'], invitation });
  await runCli(desk, ['projects', 'add', web]);
  // A device that has the second folder only, with all of its ports.
  await pair({ desk: { ...desk, folder: web }, away: guest, url, name: 'desk', options: ['--ports', 'all'] });
  const { grants } = JSON.parse((await runCli(desk, ['pair', 'grants', '--json'])).out) as {
    grants: { name: string; project: string; device?: string }[];
  };
  const home = grants.find(({ project }) => project !== 'storefront')?.project ?? '';
  expect(home).toBe(basename(desk.folder));
  await using machine = going(desk, ['connect', url, '--name', 'desk', '--all', '--allow', 'write,exec']);
  await machine.said(/^Connected/u);
  const at = (where: string): string[] => ['--remote', `${url}#desk${where === '' ? '' : `/${where}`}`];
  const start = async (by: Place, where: string): Promise<string> => {
    const words = { command: `perl server.pl ${where}`, background: true, wait_port: 3000 };
    const { out, err } = await runCli(by, ['call', 'run_command', JSON.stringify(words), '--json', ...at(where)]);
    const { data } = JSON.parse(out) as { data?: { job: { id: string } | null } };
    if (data?.job === undefined || data.job === null) throw new Error(out + err);
    return data.job.id;
  };
  const first = await start(away, home);

  // The job of a folder that a device may not use is one that does not exist: by each name, for output, ports and an end.
  for (const where of ['', 'storefront']) {
    const ported = await runCli(guest, ['jobs', 'forward', first, ...at(where)]);
    expect(ported).toMatchObject({ code: 5, out: '' });
    expect(ported.err).not.toContain('3000');
    for (const action of ['output', 'stop']) {
      const job = await runCli(guest, ['call', 'job', JSON.stringify({ id: first, action }), ...at(where)]);
      expect([action, job.code, job.out]).toEqual([action, 5, '']);
    }
  }
  for (const words of [
    ['jobs', 'forward', first],
    ['call', 'job', JSON.stringify({ id: first, action: 'output' })],
  ]) {
    const refused = await runCli(guest, [...words, ...at(home)]);
    expect([refused.code, refused.out]).toEqual([3, '']);
    expect(refused.err).not.toContain('3000');
  }

  // A port in the second folder.
  const name = (await runCli(desk, ['pair', 'list', '--json'])).out;
  const { devices } = JSON.parse(name) as { devices: { id: string; name: string; workspace?: string; project?: string }[] };
  const mine = devices.find(({ project, workspace = project }) => workspace !== web && project !== 'storefront')?.id.slice(0, 8) ?? '';
  const granted = await runCli(desk, ['pair', 'grants', mine, '--workspace', web, '--ports', 'own']);
  expect(granted).toMatchObject({ code: 0 });
  await expect.poll(async () => (await runCli(away, ['pair', 'workspaces', `${url}#desk`])).out).toContain('storefront');
  const second = await start(away, 'storefront');
  expect((await runCli(away, ['jobs', 'forward', second, ...at(home)])).code).toBe(5);
  await using forward = going(away, ['jobs', 'forward', second, '--json', ...at('storefront')]);
  const told = JSON.parse(await forward.said(/^\{/u)) as { url: string };
  expect(await (await fetch(told.url, { headers: { connection: 'close' } })).text()).toBe('storefront');

  // Its grant ends: so do the port and the job, and those of the other folder stay.
  const removed = await runCli(desk, ['pair', 'grants', mine, '--workspace', web, '--remove']);
  expect(removed.err).toContain('ended 0 running calls, 1 background job and 1 forwarded port.');
  await expect.poll(() => forward.child.exitCode).toBe(3);
  await expect(fetch(told.url)).rejects.toThrow();
  const jobs = JSON.parse((await runCli({ ...desk, folder: web }, ['jobs', '--json'])).out) as { jobs: { id: string; status: string }[] };
  expect(jobs.jobs.map(({ id, status }) => [id, status === 'running'])).toEqual([[second, false]]);
  expect((await runCli(away, ['call', 'job', JSON.stringify({ id: first, action: 'output' }), ...at('')])).code).toBe(0);

  // A project that is not tracked any more is not served any more.
  const list = (): Promise<{ code: number | null }> => runCli(guest, ['call', 'list_directory', '{"path":"."}', ...at('storefront')]);
  expect(await list()).toMatchObject({ code: 0 });
  await runCli(desk, ['projects', 'remove', web]);
  await expect.poll(async () => (await list()).code).not.toBe(0);
});
