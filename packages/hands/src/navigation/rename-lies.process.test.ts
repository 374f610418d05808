import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Answered, CodeServers, CodeSession } from '../lsp/code-servers.ts';
import { SERVERS } from '../lsp/server-table.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import { applyEdits } from './apply-edits.ts';
import { foreseeRename } from './foresee-rename.ts';
import { RenamePlan } from './rename-plan.ts';

const FILES = {
  'a.ts': 'export function run(): void {}\nrun(); // run\n',
  'b.ts': "import { run } from './a';\nexport const also = 1;\nrun();\n",
  'made.ts': "// @generated\nimport { run } from './a';\n",
  'secret/key.ts': "import { run } from '../a';\n",
};
const VERSION = 3;

/** The edits of a server by path; `root` stands for the workspace. */
type Edits = Readonly<Record<string, ReadonlyArray<readonly [line: number, start: number, end: number, text: string]>>>;

/** A server that answers a rename with these edits. */
function lying(root: () => string, edits: Edits, version: number | null): CodeServers {
  const documentChanges = () =>
    Object.entries(edits).map(([path, all]) => ({
      textDocument: { uri: `file://${path.startsWith('/') ? path : `${root()}/${path}`}`, version },
      edits: all.map(([line, start, end, newText]) => ({ range: { start: { line, character: start }, end: { line, character: end } }, newText })),
    }));
  const session: CodeSession = {
    trouble: undefined,
    offers: (provider) => provider !== 'definitionProvider',
    capability: () => undefined,
    open: () => {},
    versionOf: () => VERSION,
    about: async () => null,
    settle: async () => true,
    at: async (method) => (method === 'textDocument/rename' ? { documentChanges: documentChanges() } : []),
    request: async () => [],
  };
  return {
    rows: SERVERS,
    converse: async <T>(_row: unknown, _paths: unknown, work: (session: CodeSession) => Promise<T>): Promise<Answered<T>> => ({
      answer: await work(session),
      origin: 'Fake 1',
    }),
  };
}

interface Told {
  readonly edits: Edits;
  readonly version?: number | null;
  /** What another program does after the server answered. */
  readonly meanwhile?: (at: (path: string) => string) => void;
}

/** Renames `run` to `go` through a call, with its guards. */
async function rename({ edits, version = VERSION, meanwhile }: Told) {
  let at = (path: string): string => path;
  const tool = defineTool({
    name: 'rename',
    description: 'Rename.',
    effects: 'write',
    destructive: true,
    input: z.strictObject({}),
    permission: () => [{ action: 'write', resource: 'a.ts' }],
    foresee: async (_, { workspace, search, git, signal }) => {
      const code = lying(() => workspace.root, edits, version);
      return await foreseeRename({ path: 'a.ts', symbol: 'run' }, 'go', { workspace, search, git, signal, code });
    },
    async execute(_, { foreseen, workspace }) {
      meanwhile?.(at);
      await applyEdits(foreseen instanceof RenamePlan ? foreseen.files : [], 'run was to be renamed', workspace);
      return 'done';
    },
  });
  await using place = await temporaryHands(FILES, { tools: [tool], policy: { deny: ['read(secret/**)'] } });
  at = place.at;
  const before = readTree(place.folder);
  const result = await place.hands.call('rename', {});
  const after = readTree(place.folder);
  if (result.ok) {
    await place.hands.undo();
    expect(readTree(place.folder)).toEqual(before);
  }
  return { before, after, said: result.ok ? result.output : `${result.error.code}: ${result.error.message}` };
}

const A = [
  [0, 16, 19, 'go'],
  [1, 0, 3, 'go'],
] as const;

it('takes the edits of an honest server, each once, and one undo takes all back', async () => {
  const { said, after } = await rename({
    edits: {
      'a.ts': [...A, A[0]],
      'b.ts': [
        [0, 9, 12, 'go'],
        [2, 0, 3, 'go'],
      ],
    },
  });
  expect(said).toContain('done');
  expect(JSON.stringify(after)).toContain('import { go } from');
});

it.each<[string, Told, string]>([
  ['a file outside', { edits: { 'a.ts': A, '/etc/hosts.ts': [[0, 0, 3, 'go']] } }, 'hosts.ts, which is outside the workspace'],
  ['a way out of it', { edits: { 'a.ts': A, 'x/../../b.ts': [[0, 0, 3, 'go']] } }, 'b.ts, which is outside the workspace'],
  ['a file that does not exist', { edits: { 'a.ts': A, 'none.ts': [[0, 0, 3, 'go']] } }, 'it would also change none.ts'],
  ['a denied file', { edits: { 'a.ts': A, 'secret/key.ts': [[0, 9, 12, 'go']] } }, 'it would also change secret/key.ts'],
  ['a generated file', { edits: { 'a.ts': A, 'made.ts': [[1, 9, 12, 'go']] } }, 'made.ts, which is generated'],
  ['another text of a file', { edits: { 'a.ts': A }, version: VERSION - 1 }, 'the server answers for another text of a.ts'],
  ['another word', { edits: { 'a.ts': A, 'b.ts': [[1, 13, 17, 'go']] } }, 'the place b.ts:2 of the server does not hold run'],
  ['a line that is not there', { edits: { 'a.ts': [...A, [99, 0, 3, 'go']] } }, 'the place a.ts:100 of the server does not hold run'],
  ['a column that is not there', { edits: { 'a.ts': [...A, [1, 90, 93, 'go']] } }, 'the place a.ts:2 of the server does not hold run'],
  ['places that overlap', { edits: { 'a.ts': [...A, [0, 16, 18, 'go']] } }, 'two places of the server overlap in a.ts'],
  ['more than the name', { edits: { 'a.ts': [A[0], [1, 0, 3, 'go(); fetch']] } }, 'the server would write "go(); fetch" at a.ts:2'],
  [
    'a file that changes meanwhile',
    { edits: { 'a.ts': A, 'b.ts': [[0, 9, 12, 'go']] }, meanwhile: (at) => appendFileSync(at('b.ts'), '// more\n') },
    'b.ts was changed while run was to be renamed; nothing was changed',
  ],
])('refuses %s in one sentence, and changes nothing', async (_, told, why) => {
  const { said, before, after } = await rename(told);
  expect(said).toContain(why);
  expect(said).toMatch(/^(?:conflict|denied): [^\n]*$/u);
  const changed = Object.entries(after).filter(([path, content]) => JSON.stringify(content) !== JSON.stringify(Object(before)[path]));
  expect(changed.map(([path]) => path)).toEqual(told.meanwhile === undefined ? [] : ['b.ts']);
});
