import {
  auditedCalls,
  INCOMPLETE,
  openModel,
  PROJECT_RESURRECTION,
  runAgent,
  runProtocol,
  SystemPromptNotFound,
  buildSystemPrompt,
  toolDescriptions,
  type AgentEvent,
  type RunAgentOptions,
} from '@synapse/brain';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAgentPlace } from './agent-place.ts';
import { startChatServer, type ChatBody, type Scripted } from './scripted-chat.ts';

const read = (path: string, id = path): { id: string; name: string; input: string } => ({ id, name: 'read_file', input: JSON.stringify({ path }) });
const calls = (...list: ReturnType<typeof read>[]): Scripted => ({ kind: 'calls', calls: list });
const say = (text: string): Scripted => ({ kind: 'text', text });

/** Runs a task against a scripted server. */
async function run(script: (body: ChatBody, index: number) => Scripted, options: Partial<RunAgentOptions> = {}) {
  await using place = await openAgentPlace();
  await using server = await startChatServer(script);
  const events: AgentEvent[] = [];
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const result = await runAgent({
    hands: place.hands,
    model,
    system: 'You work.',
    task: 'Work.',
    random: () => 0,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { result, events, requests: server.requests };
}

const lastMessages = (body: ChatBody | undefined, count: number): string[] =>
  (body?.messages ?? []).slice(-count).map(({ content }) => String(content));

it('tells the model of its own malformed arguments, and goes on', async () => {
  const { result, requests } = await run((_, index) => (index === 0 ? calls({ id: 'c', name: 'read_file', input: '{"path": "a.t' }) : say('done')));
  expect(result).toMatchObject({ status: 'done', text: 'done' });
  expect(lastMessages(requests[1], 1)[0]).toMatch(/^Error: /u);
});

it('answers unknown tools and failed calls with words, and goes on', async () => {
  const { result, requests } = await run((_, index) =>
    index === 0 ? calls({ id: 'c', name: 'raed_file', input: '{}' }, read('gone.txt')) : say('done'),
  );
  expect(result.status).toBe('done');
  const [unknown, gone] = lastMessages(requests[1], 2);
  expect(unknown).toContain('read_file');
  expect(gone).toContain('gone.txt');
});

it('repeats a request after 429 and 503, and honors retry-after', async () => {
  const answers: Scripted[] = [
    { kind: 'status', status: 429, message: 'slow down', headers: { 'retry-after-ms': '7' } },
    { kind: 'status', status: 503, message: 'overloaded' },
    say('done'),
  ];
  const { result, events } = await run((_, index) => answers[index] ?? say('too many'));
  expect(result).toMatchObject({ status: 'done', text: 'done' });
  expect(events.flatMap((event) => (event.type === 'retry' ? [[event.attempt, event.waitMs]] : []))).toEqual([
    [1, 7],
    [2, 0],
  ]);
});

it('asks again where the stream is cut, and counts nothing of it', async () => {
  const { result, events } = await run((_, index) => (index === 0 ? { kind: 'cut', text: 'half of ' } : say('whole')));
  expect(result).toMatchObject({ status: 'done', text: 'whole' });
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(1);
});

it('pauses where the server stays unreachable, and a later run goes on without repeating a call', async () => {
  await using place = await openAgentPlace();
  let down = false;
  await using server = await startChatServer((body, index) => {
    if (down) return { kind: 'cut', text: '' };
    if (index === 0) {
      down = true;
      return calls({ id: 'w', name: 'run_command', input: JSON.stringify({ command: 'echo x >> counter.txt' }) });
    }
    return say(String(body.messages.filter(({ role }) => role === 'tool').length));
  });
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const session = place.store.create({ workspace: place.folder, model: 'scripted', task: 'Count.' });
  const shared = { hands: place.hands, model, system: 'You count.', random: () => 0 };
  const paused = await runAgent({ ...shared, session, task: 'Count.' });
  expect(paused.status).toBe('paused');
  down = false;
  const resumed = await runAgent({ ...shared, session: place.store.resume(session.id) });
  expect(resumed).toMatchObject({ status: 'done', text: '1' });
  expect(await readFile(join(place.folder, 'counter.txt'), 'utf8')).toBe('x\n');
  expect(place.store.messages(session.id).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
});

it('never runs a call again that was running when the process ended', async () => {
  await using place = await openAgentPlace();
  await using server = await startChatServer((body) => say(lastMessages(body, 1)[0] ?? ''));
  const session = place.store.create({ workspace: place.folder, model: 'scripted', task: 'Count.' });
  session.add({ role: 'user', content: [{ type: 'text', text: 'Count.' }] });
  session.add({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'w', toolName: 'write_file', input: { path: 'once.txt', content: 'x' } }],
  });
  session.startCall(`${session.id}:1:0:w`, 'write_file');
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const result = await runAgent({ hands: place.hands, model, system: 'You count.', session: place.store.resume(session.id) });
  expect(result.text).toContain('This call was interrupted');
  await expect(readFile(join(place.folder, 'once.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('stops a model that never stops calling at the limit, with its last word and the contracted sentence', async () => {
  const { result, requests } = await run(
    (body, index) => (body.tools === undefined ? say('What I saw.') : calls(read('a.txt', `${index}-a`), read('b.txt', `${index}-b`))),
    {
      limits: { calls: 3 },
    },
  );
  expect(result).toMatchObject({ status: 'limit', text: `What I saw.\n\n${INCOMPLETE}`, spending: { calls: 3 } });
  expect(lastMessages(requests[2], 2)[0]).toContain('Not run: the limit of tool calls is reached.');
});

it('stops at a limit of tokens without another word of the model', async () => {
  const { result } = await run((_, index) => calls(read('a.txt', `${index}`)), { limits: { tokens: 200 } });
  expect(result).toMatchObject({
    status: 'limit',
    text: 'Stopped before the task was finished. Limit reached: 200 tokens.',
    reason: 'Limit reached: 200 tokens.',
  });
});

it('counts the cost where the price is known, and refuses a cost limit without one', async () => {
  const { result } = await run((_, index) => calls(read('a.txt', `${index}`)), { limits: { costUsd: 0.0002 }, price: { input: 1, output: 1 } });
  expect(result).toMatchObject({ status: 'limit', spending: { turns: 2 } });
  await expect(run(() => say(''), { limits: { costUsd: 1 } })).rejects.toThrow('needs a price');
});

it('warns a model that repeats a call, then stops it', async () => {
  const { result, requests } = await run((_, index) => calls(read('a.txt', `${index}`)));
  expect(result.status).toBe('loop');
  expect(result.spending.calls).toBe(4);
  expect(lastMessages(requests[2], 1)[0]).not.toContain('several times');
  expect(lastMessages(requests[3], 1)[0]).toContain('several times');
});

it('makes room where the context overflows, and never fails for it', async () => {
  const long = 'x'.repeat(20_000);
  await using place = await openAgentPlace();
  for (let index = 0; index < 8; index += 1) await writeFile(join(place.folder, `long-${index}.txt`), `${index} ${long}`);
  const sizes: number[] = [];
  await using server = await startChatServer((body, index) => {
    const size = JSON.stringify(body.messages).length;
    sizes.push(size);
    if (size > 90_000) return { kind: 'status', status: 400, message: "This model's maximum context length is 20000 tokens" };
    return index < 8 + sizes.filter((one) => one > 90_000).length ? calls(read(`long-${index % 8}.txt`, `${index}`)) : say('done');
  });
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const events: AgentEvent[] = [];
  const result = await runAgent({
    hands: place.hands,
    model,
    system: 'You read.',
    task: 'Read all.',
    random: () => 0,
    onEvent: (event) => events.push(event),
  });
  expect(result.status).toBe('done');
  expect(sizes.some((size) => size > 90_000)).toBe(true);
  expect(events.some(({ type }) => type === 'note')).toBe(true);
  expect(lastMessages(server.requests.at(-1), 100).some((text) => text.includes('Result removed to save context: read_file(long-0.txt)'))).toBe(true);
});

it.each([
  [{ kind: 'status', status: 401, message: 'bad key' }, 'failed', 'OPENAI_API_KEY'],
  [{ kind: 'status', status: 404, message: 'model not found' }, 'failed', '--model'],
  [
    { kind: 'status', status: 400, message: 'scripted does not support tools' },
    'failed',
    'does not support tools. Set --model to one that can call tools.',
  ],
  [{ kind: 'refusal' }, 'refused', 'Rephrase'],
] as const satisfies readonly (readonly [Scripted, string, string])[])(
  'ends with one sentence that says what to do: %o',
  async (scripted, status, advice) => {
    const { result } = await run(() => scripted);
    expect(result.status).toBe(status);
    expect(result.reason).toContain(advice);
    expect(result.reason).not.toContain('\n');
  },
);

it('stops when it is told to, keeps the session, and goes on later', async () => {
  await using place = await openAgentPlace();
  const stop = new AbortController();
  await using server = await startChatServer((_, index) => {
    if (index === 0) {
      setImmediate(() => stop.abort());
      return calls({ id: 's', name: 'run_command', input: JSON.stringify({ command: 'sleep 60' }) });
    }
    return say('resumed');
  });
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const session = place.store.create({ workspace: place.folder, model: 'scripted', task: 'Wait.' });
  const shared = { hands: place.hands, model, system: 'You wait.', session };
  expect(await runAgent({ ...shared, task: 'Wait.', signal: stop.signal })).toMatchObject({ status: 'cancelled' });
  expect(await runAgent(shared)).toMatchObject({ status: 'done', text: 'resumed' });
});

it('infers the steps of a protocol from the calls, and gives them to the records', async () => {
  const script = [
    calls({ id: '1', name: 'list_directory', input: '{}' }),
    calls(read('README.md', '2')),
    calls({ id: '3', name: 'git_log', input: '{}' }),
    calls(read('DEVLOG.md', '4')),
    say('---\nattribution:\n---\n'),
  ];
  const { events } = await run((_, index) => script[index] ?? say(''), { protocol: PROJECT_RESURRECTION });
  expect(events.flatMap((event) => (event.type === 'step' ? [`Step ${event.index}/${event.total}`] : []))).toEqual([
    'Step 1/5',
    'Step 2/5',
    'Step 3/5',
    'Step 4/5',
    'Step 5/5',
  ]);
});

it('runs a protocol in ten calls at most, and marks what the report claims and no call read', async () => {
  await using place = await openAgentPlace();
  const report = '---\nattribution:\n  files_read: [a.txt, b.txt]\n  tool_calls: {read_file: 10}\n  confidence: high\n---\n\n## Current State\n';
  await using server = await startChatServer((body, index) =>
    body.tools === undefined
      ? say(report)
      : calls(read('a.txt', String(index)), { id: `l${index}`, name: 'list_directory', input: `{"limit":${index + 1}}` }),
  );
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const result = await runProtocol({
    hands: place.hands,
    model,
    system: 'You report.',
    protocol: { ...PROJECT_RESURRECTION, steps: PROJECT_RESURRECTION.steps },
    limits: { calls: 4 },
  });
  expect(result).toMatchObject({ status: 'limit', spending: { calls: 4 }, check: { unreadFiles: ['b.txt'], uncalledTools: [], ok: false } });
  expect(result.text).toContain(INCOMPLETE);
  expect(result.report.attribution.confidence).toBe('high');
});

it('goes on with a protocol where it stood: its step, its calls, and what it read before', async () => {
  await using place = await openAgentPlace();
  const report =
    '---\nattribution:\n  files_read: [README.md, a.txt, b.txt]\n  tool_calls: {Read: 1, Bash: 1}\n  confidence: high\n---\n\n## Current State\n';
  await writeFile(join(place.folder, 'README.md'), 'A project.\n');
  let turn = 0;
  await using server = await startChatServer(() => {
    turn += 1;
    if (turn === 1) return calls({ id: '1', name: 'Read', input: `{"file_path":"${join(place.folder, 'README.md')}"}` });
    if (turn === 2) return { kind: 'status', status: 400, message: 'no such model' };
    if (turn === 3) return calls({ id: '2', name: 'Bash', input: '{"command":"git log | head; cat a.txt"}' });
    return say(report);
  });
  const model = await openModel('scripted', { baseUrl: server.url, environment: {} });
  const session = place.store.create({ workspace: place.folder, model: 'scripted', task: '' });
  const steps: string[] = [];
  const shared = {
    hands: place.hands.dialect('claude-code'),
    model,
    system: 'You report.',
    protocol: PROJECT_RESURRECTION,
    limits: { calls: 2 },
    audited: (id: string) => auditedCalls(place.state, place.folder, id),
    root: place.folder,
    onEvent: (event: AgentEvent) => void (event.type === 'step' && steps.push(`Step ${event.index}/${event.total}`)),
  };
  expect(await runProtocol({ ...shared, session })).toMatchObject({ status: 'failed', spending: { calls: 1 } });
  expect(steps).toEqual(['Step 2/5']);
  const result = await runProtocol({ ...shared, session: place.store.resume(session.id) });
  expect(steps).toEqual(['Step 2/5', 'Step 3/5']);
  expect(result).toMatchObject({ status: 'limit', spending: { calls: 2 }, check: { unreadFiles: ['b.txt'], uncalledTools: [] } });
});

it('builds the system prompt around that of the operator, and says where none is', async () => {
  await using place = await openAgentPlace();
  const options = { workspace: place.folder, model: 'm', toolDescriptions: toolDescriptions(place.hands), constraints: ['No network.'] };
  const missing = await buildSystemPrompt(options).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(SystemPromptNotFound);
  expect(missing).toMatchObject({ path: join(place.folder, 'SYSTEM_PROMPT.md') });
  await writeFile(join(place.folder, 'SYSTEM_PROMPT.md'), 'Be brief.\n');
  await writeFile(join(place.folder, 'AGENTS.md'), 'Run make.\n');
  const prompt = await buildSystemPrompt(options);
  const order = ['# Environment', place.folder, '# Constraints', 'No network.', '# Tools', 'read_file(path', 'Run make.', 'Be brief.'].map((text) =>
    prompt.indexOf(text),
  );
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});
