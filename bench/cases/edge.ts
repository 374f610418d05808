import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { createHands } from '@synapse/hands';
import { SandboxBench } from '../../packages/hands/src/testing/sandbox-bench.ts';
import { measure, median } from '../measure.ts';
import { time, type Row } from '../result.ts';

const GROUP = 'The edge: a command by tier, and requests through the proxy that ends TLS';
const HOST = 'api.example.com';
const MEGABYTES = 100;
const REQUESTS = 200;
const ROUNDS = 7;
/** Beyond a plain process. */
const LANDLOCK_MS = 6;
const REQUEST_MS = 3;
const THROUGHPUT = 0.7;

/** A server with a certificate for the host, in a process of its own. */
async function openServer(folder: string): Promise<Disposable & { readonly port: number; readonly certificate: string }> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const fresh = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', [...fresh, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const program = fileURLToPath(new URL('../servers/secure.ts', import.meta.url));
  const child = spawn(process.execPath, [program, key, certificate], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { port: Number(line), certificate, [Symbol.dispose]: () => void child.kill() };
}

/** The seconds that curl needed for each of some requests over one connection. */
const CURL = `curl -sS -o /dev/null -w '%{time_total}\\n'`;
const seconds = (text: string): number[] => text.trim().split('\n').map(Number);

async function requestRows(folder: string): Promise<Row[]> {
  using server = await openServer(folder);
  const ca = readFileSync(server.certificate);
  const place = { scheme: 'https', host: HOST, port: 443, as: { kind: 'bearer' } } as const;
  const token = { name: 'TOKEN', also: [], texts: {}, places: [place], value: 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567', added: '' };
  await using bench = await SandboxBench.open('root', {
    policy: { network: { domains: [HOST] } },
    network: {
      resolve: async () => ['93.184.216.34'],
      dial: () => connect(server.port, '127.0.0.1'),
      verifying: () => createSecureContext({ ca }),
    },
    edge: { exist: () => true, secrets: async () => [token], opensLocal: () => false, denied: () => [] },
  });
  const directly = (path: string): number[] => {
    const words = ['--cacert', server.certificate, '--resolve', `${HOST}:${server.port}:127.0.0.1`, `https://${HOST}:${server.port}${path}`];
    return seconds(execFileSync('/bin/sh', ['-c', `${CURL} "$@"`, 'sh', ...words], { encoding: 'utf8' }));
  };
  const through = async (path: string): Promise<number[]> => seconds((await bench.inside(`${CURL} 'https://${HOST}${path}'`)).stdout);
  const request = { ours: new Array<number>(), plain: new Array<number>() };
  const bodies = [
    { what: `${MEGABYTES} MB from a host with a secret`, path: `/${MEGABYTES * 1_000_000}`, ours: new Array<number>(), plain: new Array<number>() },
    {
      what: `an archive of ${MEGABYTES} MB from a host with a secret`,
      path: `/${MEGABYTES * 1_000_000}?archive`,
      ours: new Array<number>(),
      plain: new Array<number>(),
    },
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const small = `/100?[1-${REQUESTS}]`;
    request.plain.push(...directly(small).slice(1));
    request.ours.push(...(await through(small)).slice(1));
    for (const body of bodies) {
      body.ours.push(...(await through(body.path)));
      body.plain.push(...directly(body.path));
    }
  }
  const [ours, plain] = [median(request.ours) * 1_000, median(request.plain) * 1_000];
  const rate = (duration: number): string => `${(MEGABYTES / duration).toFixed(0)} MB/s`;
  return [
    {
      group: GROUP,
      what: 'a request with a secret, connection kept',
      ours: time(ours),
      peer: `${time(plain)} (directly)`,
      compared: `+${time(Math.max(0, ours - plain))}`,
      target: `≤ directly + ${REQUEST_MS} ms`,
      met: ours <= plain + REQUEST_MS,
    },
    ...bodies.map((body) => {
      const [took, direct] = [median(body.ours), median(body.plain)];
      return {
        group: GROUP,
        what: body.what,
        ours: rate(took),
        peer: `${rate(direct)} (directly)`,
        compared: `${(direct / took).toFixed(2)}×`,
        target: `≥ ${THROUGHPUT}×`,
        met: direct / took >= THROUGHPUT,
      };
    }),
  ];
}

async function tierRows(folder: string): Promise<Row[]> {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.txt'), 'content\n');
  const openIn = async (sandbox: 'required' | 'landlock') =>
    await createHands({ workspace, stateFolder: join(folder, sandbox), configFolder: join(folder, 'config'), allow: ['exec'], sandbox });
  await using bubblewrap = await openIn('required');
  await using landlock = await openIn('landlock');
  const runIn = async (hands: typeof landlock): Promise<void> => {
    const result = await hands.call('run_command', { command: 'cat a.txt' });
    if (!result.ok) throw new Error(result.error.message);
  };
  const plain = async (): Promise<void> => {
    await once(spawn('/bin/sh', ['-c', 'cat a.txt'], { cwd: workspace, stdio: ['ignore', 'pipe', 'pipe'] }), 'close');
  };
  const [base, ...tiers] = await measure(
    [
      { name: 'a plain process', run: plain },
      { name: 'bubblewrap', run: async () => await runIn(bubblewrap) },
      { name: 'Landlock', run: async () => await runIn(landlock) },
    ],
    { rounds: ROUNDS, perRound: 10, warmUp: 5 },
  );
  const before = base?.median ?? Number.NaN;
  return tiers.map(({ name, median: ours }) => {
    const limit = name === 'Landlock' ? LANDLOCK_MS : undefined;
    return {
      group: GROUP,
      what: `run_command 'cat a.txt' in ${name}`,
      ours: time(ours),
      peer: `${time(before)} (a plain process)`,
      compared: `+${time(ours - before)}`,
      target: limit === undefined ? '' : `≤ plain + ${limit} ms`,
      met: limit === undefined || ours <= before + limit,
    };
  });
}

/** What commands cost where they are confined without namespaces, and what their requests cost where a secret goes into them. */
export async function edgeCases(): Promise<Row[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-edge-')));
  try {
    return [...(await tierRows(folder)), ...(await requestRows(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
