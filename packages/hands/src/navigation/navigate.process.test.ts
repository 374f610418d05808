import { SynapseError } from '@synapse/protocol';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { SERVERS } from '../lsp/server-table.ts';
import type { Answered, CodeServers, CodeSession } from '../lsp/code-servers.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import type { ServerAction } from './ask-server.ts';
import { navigate } from './navigate.ts';
import type { Found, Wanted } from './navigation-use.ts';

const FILES = {
  'a.ts': 'export function run(): void {}\nrun(); // run\n',
  'b.ts': "import { run } from './a';\nfunction go() { run(); }\n",
  'secret/key.ts': 'export const key = 1; // never-to-be-shown\n',
  'c.rb': 'def run\nend\n',
  'd.md': '# run\n',
};

type Replies = (method: string, root: string) => unknown;

/** Servers that give scripted answers. */
function servers(replies: Replies, offers: boolean): CodeServers {
  return {
    rows: SERVERS,
    async converse<T>(_row: unknown, _paths: unknown, work: (session: CodeSession) => Promise<T>): Promise<Answered<T>> {
      let root = '';
      const session = {
        trouble: undefined,
        offers: () => offers,
        capability: () => undefined,
        open: () => {},
        versionOf: () => undefined,
        about: async () => null,
        settle: async () => true,
        at: async (method: string) => replies(method, root),
        request: async (method: string) => replies(method, root),
      };
      root = current;
      return { answer: await work(session), origin: 'Fake 1' };
    },
  };
}
let current = '';

/** Asks through a call, with its guards. @param offers whether the server says that it can answer */
async function call(action: ServerAction, wanted: Wanted, replies: Replies, offers = true) {
  let found: Found | undefined;
  const tool = defineTool({
    name: 'ask',
    description: 'Ask.',
    effects: 'read',
    input: z.strictObject({}),
    async execute(_, { workspace, search, signal }) {
      current = workspace.root;
      found = await navigate(action, wanted, { workspace, search, signal, code: servers(replies, offers) });
      return 'done';
    },
  });
  await using place = await temporaryHands(FILES, { tools: [tool], policy: { deny: ['read(secret/**)'] } });
  return { result: await place.hands.call('ask', {}), found };
}

async function ask(action: ServerAction, wanted: Wanted, replies: Replies): Promise<Found | string> {
  const { result, found } = await call(action, wanted, replies);
  return result.ok ? (found ?? 'nothing') : `${result.error.code}: ${result.error.message}`;
}

const range = (line: number, start: number, end = start + 3) => ({ start: { line, character: start }, end: { line, character: end } });
const RUN = { path: 'a.ts', symbol: 'run' };

it('shows what a server names, by file and line', async () => {
  const replies: Replies = (_, root) => [
    { uri: `file://${root}/b.ts`, range: range(1, 16) },
    { uri: `file://${root}/a.ts`, range: range(0, 16) },
  ];
  expect(await ask('references', RUN, replies)).toMatchObject({
    kind: 'server',
    total: 2,
    places: [
      { path: 'a.ts', line: 1, text: 'export function run(): void {}' },
      { path: 'b.ts', line: 2, text: 'function go() { run(); }' },
    ],
    notes: expect.arrayContaining(['2 other uses of that name in code, which the server does not name: a.ts:2, b.ts:1']) as string[],
  });
});

it('reads no file for a server that the call may not read, nor one outside', async () => {
  const replies: Replies = (_, root) => [
    { uri: `file://${root}/secret/key.ts`, range: range(0, 13) },
    { uri: 'file:///etc/passwd', range: range(0, 0) },
    { uri: `file://${root}/a.ts`, range: range(900, 0) },
    'nonsense',
  ];
  const found = await ask('references', RUN, replies);
  expect(found).toMatchObject({ kind: 'server', total: 0, places: [] });
  expect(JSON.stringify(found)).not.toContain('never-to-be-shown');
  expect(typeof found === 'string' ? [] : found.notes).toEqual(
    expect.arrayContaining([
      '1 file outside the workspace: passwd',
      '1 place in files that cannot be read',
      '2 places of the server left out, which no file has',
    ]),
  );
});

it('asks who calls, and says in what', async () => {
  const replies: Replies = (method, root) =>
    method === 'textDocument/prepareCallHierarchy'
      ? [{ name: 'run' }]
      : [{ from: { uri: `file://${root}/b.ts` }, fromRanges: [range(1, 16)] }, { from: 5 }];
  expect(await ask('callers', RUN, replies)).toMatchObject({
    total: 1,
    places: [{ path: 'b.ts', line: 2, symbol: 'go' }],
    // What a server knows nothing of, such as in files for another system, may call it, too.
    notes: expect.arrayContaining(['1 other call of that name in code, which the server does not name: a.ts:2']) as string[],
  });
});

it('answers by syntax where no server works, and says so', async () => {
  const fails: Replies = () => {
    throw new SynapseError('unavailable', 'Language server not found: TypeScript', { hint: 'Install it.' });
  };
  expect(await ask('definition', { path: 'b.ts', symbol: 'run' }, fails)).toMatchObject({
    kind: 'syntax',
    places: [{ path: 'a.ts', line: 1, symbol: 'run' }],
    notes: expect.arrayContaining(['by syntax alone', 'Language server not found: TypeScript. Install it.']) as string[],
  });
  expect(await ask('references', RUN, fails)).toMatchObject({ kind: 'syntax', total: 4 });
  expect(await ask('callers', RUN, fails)).toMatchObject({
    places: [
      { path: 'a.ts', line: 2 },
      { path: 'b.ts', line: 2, symbol: 'go' },
    ],
  });
  expect(await ask('hover', RUN, fails)).toMatchObject({ about: 'export function run(): void {}' });
  expect(await ask('implementations', RUN, fails)).toBe(
    'unavailable: Implementations need a language server: Language server not found: TypeScript.',
  );
});

it('does not advise to repeat what a server never answers', async () => {
  const { result } = await call('implementations', RUN, () => [], false);
  expect(result).toMatchObject({
    error: { message: 'Implementations need a language server: Fake 1 cannot answer that.', hint: 'Use references on the type, or search_text.' },
  });
});

it('joins the reason of a server with what to do, whether it ends as a sentence or not', async () => {
  const fails: Replies = () => {
    throw new SynapseError('unavailable', 'The language server of Rust does not work: it ended.', { hint: 'Repeat the call.' });
  };
  expect(await ask('references', RUN, fails)).toMatchObject({
    notes: expect.arrayContaining(['The language server of Rust does not work: it ended. Repeat the call.']) as string[],
  });
});

it.each<[Wanted, string]>([
  [{ path: 'a.ts', symbol: 'rum' }, 'no_match: Symbol not found in a.ts: rum'],
  [{ path: 'a.ts', line: 90 }, 'no_match: a.ts has no line 90'],
  [{ path: 'a.ts', line: 1, text: 'walk' }, 'no_match: "walk" is not on line 1 of a.ts'],
  [{ path: 'a.ts' }, 'invalid_arguments: Which symbol?'],
  [{ path: '.' }, 'invalid_arguments: . is a folder'],
  [{ path: '.', symbol: 'walk' }, 'no_match: No symbol is named walk.'],
  [{ path: '.', symbol: 'run' }, 'ambiguous_match: 2 symbols are named run:\na.ts:1 function run\nc.rb:1-2 method run'],
  [{ path: 'secret/key.ts', symbol: 'key' }, 'denied'],
  [{ path: 'd.md', symbol: 'run' }, 'unavailable: No grammar is known for files such as d.md.'],
])('says which place %j is not', async (wanted, message) => {
  expect(await ask('definition', wanted, () => null)).toContain(message);
});

it('finds a text that is some lines away', async () => {
  const found = await ask('definition', { path: 'a.ts', line: 4, text: 'run()' }, () => null);
  expect(found).toContain('no line 4');
  const near = await ask('definition', { path: 'b.ts', line: 1, text: 'function go' }, () => null);
  expect(near).toMatchObject({ notes: expect.arrayContaining(['it is on line 2, not 1']) as string[] });
});
