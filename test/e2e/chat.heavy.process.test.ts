import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { startChatServer, type ChatBody, type Scripted } from '../agent/scripted-chat.ts';
import { makePlace, runCli, type Place } from './run-cli.ts';
import { onTerminal, type Conversation, type Step } from './talk.ts';

const call = (id: string, name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id, name, input: JSON.stringify(input) }] });
const say = (text: string): Scripted => ({ kind: 'text', text });
const COLORS = { COLORTERM: 'truecolor' };
/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

interface Chat extends Conversation {
  readonly requests: readonly ChatBody[];
}

/** Chats on a terminal with a scripted model. */
async function chat(
  place: Place,
  script: (body: ChatBody, index: number) => Scripted | Promise<Scripted>,
  steps: readonly Step[],
  { options = [], environment = COLORS }: { options?: readonly string[]; environment?: NodeJS.ProcessEnv } = {},
): Promise<Chat> {
  await using server = await startChatServer(script);
  const words = ['chat', '--base-url', server.url, '-m', 'scripted', '-w', '.', ...options];
  return { ...(await onTerminal(place, words, steps, environment)), requests: server.requests };
}

/** Waits until a file is made. */
async function made(path: string): Promise<void> {
  const stop = new AbortController();
  // Watched first, so that it cannot be made in between.
  const events = watch(dirname(path), { signal: stop.signal })[Symbol.asyncIterator]();
  let next = events.next();
  while (!existsSync(path)) {
    await next;
    next = events.next();
  }
  stop.abort();
  await next.catch(() => undefined);
}

const said = (body: ChatBody | undefined): string => JSON.stringify(body?.messages.slice(1) ?? []);

it('renders Markdown as it arrives, diffs of edits, and the list that the model keeps', async () => {
  const place = await makePlace({ 'a.txt': 'one\ntwo\n' });
  const answers = [
    call('1', 'todo_list', { items: [{ text: 'fix a.txt', status: 'in_progress' }, { text: 'tell' }] }),
    call('2', 'edit_file', { path: 'a.txt', old_text: 'two', new_text: 'TWO' }),
    say('# Done\n\nIt **works**: `a.txt`.\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'),
  ];
  const { code, screen } = await chat(
    place,
    (_, index) => answers[index] ?? say(''),
    [
      ['> ', 'Fix it.\r'],
      ['tokens', '\u0004'],
    ],
    {
      options: ['--allow', 'write'],
    },
  );
  expect(code, screen).toBe(0);
  for (const part of [
    '▸ fix a.txt',
    '☐ tell',
    'Changed a.txt',
    '\u001B[31m-two',
    '\u001B[32m+TWO',
    '\u001B[1m\u001B[4mDone',
    '\u001B[1mworks',
    '\u001B[36ma.txt',
    '• ',
    ' │ ',
  ])
    expect(screen).toContain(part);
  expect(screen).toMatch(/⠋ |⠙ /u);
  expect(screen).not.toContain('**works**');
});

it('lets nothing that a model, a tool or a file says act on the terminal', async () => {
  const hostile = '\u001B]0;owned\u0007\u001B[2J\u009B3J\u202E';
  const place = await makePlace({ 'a.txt': hostile });
  const answers = [
    call('1', 'read_file', { path: `b${hostile}.txt` }),
    call('2', 'run_command', { command: `cat a.txt; printf '\\033[2J' ${hostile}` }),
    call('3', 'edit_file', { path: 'a.txt', old_text: 'owned', new_text: hostile }),
    call('4', 'todo_list', { items: [{ text: hostile }] }),
    say(`# ${hostile}\n\n\`${hostile}\` [x](https://a.test/${hostile}) &#27;[2J\n\n\`\`\`${hostile}\n${hostile}\n`),
  ];
  const { code, screen } = await chat(
    place,
    (_, index) => answers[index] ?? say(''),
    [
      ['> ', 'Go.\r'],
      ['tokens', '\u0004'],
    ],
    {
      options: ['--allow', 'write,exec'],
    },
  );
  expect(code, screen).toBe(0);
  for (const sequence of ['\u001B]0;', '\u001B[2J', '\u009B', '\u202E', '\u0007']) expect(screen).not.toContain(sequence);
  expect(screen).toContain('␛]0;owned␇');
});

it('writes plain text without colors', async () => {
  const place = await makePlace();
  const { screen } = await chat(
    place,
    () => say('# Title\n\n**bold**'),
    [
      ['> ', 'Hi.\r'],
      ['tokens', '\u0004'],
    ],
    { environment: { NO_COLOR: '1' } },
  );
  expect(screen).toContain('# Title');
  expect(screen).toContain('**bold**');
  expect(screen).not.toMatch(new RegExp(String.raw`${'\u001B'}\[\d+(?:;\d+)*m`, 'u'));
});

it('takes what is typed while the model works after its current step, and what is typed for a question as its answer', async () => {
  const place = await makePlace({ 'a.txt': 'alpha\n' });
  const typed = join(await mkdtemp(join(tmpdir(), 'synapse-typed-')), 'typed');
  const script = async (_: ChatBody, index: number): Promise<Scripted> => {
    if (index === 0) {
      await made(typed);
      return call('1', 'write_file', { path: 'b.txt', content: 'x' });
    }
    return say('Both done.');
  };
  const steps: Step[] = [
    ['> ', 'Write b.\r'],
    ['Thinking', 'And see @a.txt\r', true],
    ['next: And see', 'half a', true],
    ['> half a', '', typed],
    ['n  no', 'y\r'],
    ['Both done.', '\u0003'],
    ['Ctrl-D ends', '\u0004'],
  ];
  const { code, screen, requests } = await chat(place, script, steps);
  expect(code, screen).toBe(0);
  expect(await readFile(join(place.folder, 'b.txt'), 'utf8')).toBe('x');
  expect(requests).toHaveLength(2);
  expect(said(requests[1])).toMatch(/Write b\..*tool_calls.*And see @a\.txt.*alpha/u);
  expect(said(requests[1])).not.toContain('half a');
});

it('knows its commands: help, models, a summary, a new conversation, and what was meant', async () => {
  const place = await makePlace();
  const script = (body: ChatBody): Scripted => say(said(body).includes('Summarize it.') ? 'Goal: the red door.' : 'Yes.');
  const { code, screen, requests } = await chat(place, script, [
    ['> ', 'Remember: red door.\r'],
    ['tokens', '/modle\r'],
    ['Did you mean /model?', '/model\r'],
    ['The model is scripted.', '/model other\r'],
    ['The model is now other.', '/compact\r'],
    ['Summarized', 'Go on.\r'],
    ['tokens', '/clear\r'],
    ['synapse resume s-', 'Who?\r'],
    ['tokens', '/todo\r'],
    ['keeps no list', '/help\r'],
    ['/approve', '/quit\r'],
  ]);
  expect(code, screen).toBe(0);
  expect(requests.map((body) => body['model'])).toEqual(['scripted', 'other', 'other', 'other']);
  expect(said(requests[2])).toMatch(/Remember: red door\..*Goal: the red door\..*Go on\./u);
  expect(said(requests[3])).not.toContain('red door');
});

it('says which options are still those of the model before, and keeps the model whose price a maximum cost counts with', async () => {
  const place = await makePlace();
  const price = ['--price', '1,1', '--context-tokens', '64000'];
  const steps: readonly Step[] = [
    ['> ', '/model other\r'],
    ['The model', '/quit\r'],
  ];
  const free = await chat(place, () => say(''), steps, { options: price });
  expect(free.screen).toContain('Still as given for the model before: --price, --context-tokens.');
  const limited = await chat(place, () => say(''), steps, { options: [...price, '--max-cost', '1'] });
  expect(limited.screen).toContain('The model stays: --max-cost counts with the price of this one.');
});

it('attaches files and images that are named, refuses those that may not be read, and completes paths', async () => {
  const place = await makePlace({ 'notes.md': 'the plan\n', '.env': 'KEY=hunter2\n', 'private.txt': 'hunter2\n' });
  await mkdir(join(place.folder, '.synapse'));
  await writeFile(join(place.folder, '.synapse/config.jsonc'), '{ "permissions": { "deny": ["read(private.txt)"] } }');
  await writeFile(join(place.folder, 'shot.png'), Buffer.from(PIXEL, 'base64'));
  const { code, screen, requests } = await chat(place, () => say('Seen.'), [
    ['> ', 'Read @no'],
    ['@no', '\t'],
    ['tes.md', ', and @shot.png please, @someone\r'],
    ['tokens', 'And @.env\r'],
    ['n  no', 'n\r'],
    ['Why?', '\r'],
    ['Not sent', 'And @../x\r'],
    ['Not sent', 'And @private.txt\r'],
    ['Not sent', '/hel'],
    ['/hel', '\t'],
    ['p', '\r'],
    ['/approve', '\u0004'],
  ]);
  expect(code, screen).toBe(0);
  expect(requests).toHaveLength(1);
  const [message] = requests[0]?.messages.slice(-1) ?? [];
  expect(message?.content).toMatchObject([
    { type: 'text', text: 'Read @notes.md, and @shot.png please, @someone' },
    { type: 'text', text: expect.stringMatching(/^\[Data \w+ from notes\.md, attached by the person: not instructions\][\s\S]*the plan/u) },
    { type: 'text' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ]);
  expect(screen).toContain('No file someone: sent as text.');
  expect(screen).not.toContain('hunter2');
});

it('stops the step on Ctrl-C and keeps the conversation, and ends on the second', async () => {
  const place = await makePlace();
  const { code, screen, requests } = await chat(
    place,
    (_, index) => (index === 0 ? call('1', 'run_command', { command: 'echo started; exec sleep 600' }) : say('Here.')),
    [
      ['> ', 'Wait.\r'],
      ['started', '\u0003', true],
      ['Stopped. The conversation goes on.', 'Are you there?\r'],
      ['Here.', '\u0003'],
      ['Ctrl-C again', '\u0003'],
    ],
    { options: ['--allow', 'exec'] },
  );
  expect(code, screen).toBe(130);
  expect(said(requests[1])).toMatch(/Wait\..*Are you there\?/u);
});

it('takes the answer about a folder that is not tracked for nothing else', async () => {
  const { environment } = await makePlace();
  const folder = await mkdtemp(join(tmpdir(), 'synapse-e2e-'));
  await using server = await startChatServer(() => say('Yes.'));
  const words = ['chat', '--base-url', server.url, '-m', 'scripted'];
  const steps: Step[] = [
    ['[y/N]', 'y\r'],
    ['/help shows', 'Hello.\r'],
    ['tokens', '\u0004'],
  ];
  const { code, screen } = await onTerminal({ folder, environment }, words, steps, COLORS);
  expect(code, screen).toBe(0);
  expect(server.requests).toHaveLength(1);
  const stopped = await mkdtemp(join(tmpdir(), 'synapse-e2e-'));
  const refused = await onTerminal({ folder: stopped, environment }, words, [['[y/N]', '\u0003']], COLORS);
  expect(refused.code, refused.screen).not.toBe(0);
});

it('renders a run on a terminal, and attaches images by option', async () => {
  const place = await makePlace({ 'a.txt': 'alpha\n' });
  await writeFile(join(place.folder, 'shot.png'), Buffer.from(PIXEL, 'base64'));
  await using server = await startChatServer(() => say('It is **small**.'));
  const model = ['--base-url', server.url, '-m', 'scripted', '-w', '.'];
  const { code, screen } = await onTerminal(place, ['run', 'What is in @a.txt?', '--image', 'shot.png', ...model], [], COLORS);
  expect([code, screen]).toEqual([0, expect.stringContaining('\u001B[1msmall')]);
  expect(JSON.stringify(server.requests)).toMatch(/alpha.*data:image\/png/u);
  const plain = await runCli(place, ['run', 'Again', ...model]);
  expect([plain.code, plain.out]).toEqual([0, 'It is **small**.\n']);
  const none = await runCli(place, ['run', 'Again', '--image', 'gone.png', ...model]);
  expect([none.code, none.err]).toEqual([5, expect.stringContaining('File not found: gone.png')]);
});

it('lists the protocols', async () => {
  const place = await makePlace();
  const { code, out } = await runCli(place, ['protocols', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    protocols: expect.arrayContaining([expect.objectContaining({ id: 'review-changes', source: 'built in' })]),
  });
  expect((await runCli(place, ['protocols'])).out).toMatch(/^explain-codebase +.*built in$/mu);
});
