import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findWorkerd, WorkerdRelay } from '../../packages/remote/src/fixtures/workerd.ts';
import { remotePlace } from '../security/remote-door.ts';
import { startChatServer, type Scripted } from './scripted-chat.ts';

const TOKEN = 'access-0123456789abcdef0123456789abcdef';
const input = fileURLToPath(new URL('../../examples/brain-worker/worker.ts', import.meta.url));

/** The example on workerd, with what wrangler would bind, and a network that reaches this machine. */
const config =
  (bindings: Readonly<Record<string, string>>) =>
  (port: number): string =>
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "brain", worker = .brain), (name = "internet", network = (allow = ["private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "brain")],
);
const brain :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
  bindings = [${Object.entries(bindings)
    .map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
    .join(', ')}],
);
`;

const program = findWorkerd();

it.skipIf(program === undefined)('the example brain on a Worker drives a machine with the AI SDK', { timeout: 60_000 }, async () => {
  const base = await mkdtemp(join(tmpdir(), 'synapse-brain-worker-'));
  const [root, state] = [await mkdtemp(join(base, 'workspace-')), await mkdtemp(join(base, 'state-'))];
  await writeFile(join(root, 'a.txt'), 'alpha\n');
  await using there = await remotePlace({ root, state, allow: ['write'] });
  const call = (name: string, given: unknown): Scripted => ({ kind: 'calls', calls: [{ id: name, name, input: JSON.stringify(given) }] });
  const script = [call('read_file', { path: 'a.txt' }), call('write_file', { path: 'b.txt', content: 'beta\n' })];
  await using model = await startChatServer((_, index) => script[index] ?? { kind: 'text', text: 'It says alpha.' });
  const bindings = {
    RELAY: `${there.relay}#desk`,
    CREDENTIALS: JSON.stringify(there.credentials),
    ACCESS_TOKEN: TOKEN,
    OPENAI_MODEL: 'scripted',
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: model.url,
  };
  await using worker = await WorkerdRelay.open(program ?? '', await mkdtemp(join(base, 'worker-')), { input, config: config(bindings) });
  const url = worker.url.replace('ws:', 'http:');
  const ask = (token: string) => fetch(url, { method: 'POST', body: 'What does a.txt say?', headers: { authorization: `Bearer ${token}` } });
  expect((await ask('wrong')).status).toBe(401);
  const answer = await ask(TOKEN);
  expect([answer.status, await answer.text()]).toEqual([200, 'It says alpha.\n']);
  expect(await readFile(join(root, 'b.txt'), 'utf8')).toBe('beta\n');
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('alpha');
});
