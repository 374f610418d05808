import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import type { CodeServers, CodeSession } from './code-servers.ts';
import { foreseeDiagnostics, type ForeseeUse } from './foresee-diagnostics.ts';
import type { Finding } from './finding.ts';
import { SERVERS } from './server-table.ts';

const FILES = {
  'tsconfig.json': '{"compilerOptions":{"strict":true},"include":["."]}',
  'a.ts': "export const total: number = 1;\nexport const wrong: number = 'x';\n",
  'b.ts': "import { total } from './a';\nexport const more: number = total + 1;\n",
};
const confined = (await findBubblewrap())?.usable === true;
const dry = async ({ hands }: TemporaryHands, tool: 'edit_file' | 'write_file' | 'code', input: never): Promise<string> => {
  const result = await hands.call<string>(tool, input, { dryRun: true });
  return result.ok ? result.output : result.error.message;
};
const edit = (path: string, old_text: string, new_text: string) => ({ path, edits: [{ old_text, new_text }] }) as never;

describe.runIf(confined)('a dry run', { timeout: 120_000 }, () => {
  it('tells what an edit that is not made would do to diagnostics, once a server runs', async () => {
    await using place = await temporaryHands(FILES);
    const before = readTree(place.folder);
    // No server is started for it.
    expect(await dry(place, 'edit_file', edit('a.ts', '= 1', "= 'no'"))).not.toMatch(/Worse|Diagnostics/u);
    await place.hands.call('diagnostics', { path: 'a.ts' });
    const says = async (input: never, tool: 'edit_file' | 'write_file' | 'code' = 'edit_file'): Promise<string> => {
      // A busy machine may take longer than a call waits.
      for (let tries = 0; ; tries += 1) {
        const told = await dry(place, tool, input);
        if (tries >= 20 || !told.includes('not known in time')) return told;
      }
    };
    expect(await says(edit('a.ts', '= 1', "= 'no'"))).toMatch(/line 1 changed, version \w+\. Worse: a\.ts:1:14 error 2322 Type 'string' [^\n]*\]$/u);
    expect(await says(edit('a.ts', "= 'x'", '= 2'))).toContain('Better: 1 finding gone from a.ts.');
    expect(await says(edit('a.ts', '= 1', '= 10'))).toContain('Diagnostics of a.ts: nothing new, 1 as before.');
    expect(await says({ path: 'new.ts', content: 'const a: number = "x";\n' } as never, 'write_file')).toContain('Worse: new.ts:1:7 error 2322');
    // Both files change: neither is checked against the other as it is on the disk.
    const renamed = await says({ action: 'rename', path: 'a.ts', symbol: 'total', to: 'sum' } as never, 'code');
    expect(renamed).toContain('Diagnostics of b.ts: nothing new.');
    expect(readTree(place.folder)).toEqual(before);
  });

  it('tells nothing where that is turned off', async () => {
    await using place = await temporaryHands(FILES, { editDiagnostics: false });
    await place.hands.call('diagnostics', { path: 'a.ts' });
    expect(await dry(place, 'edit_file', edit('a.ts', '= 1', "= 'no'"))).not.toMatch(/Worse|Diagnostics/u);
  });
});

const finding = (message: string): Finding => ({ line: 1, column: 1, severity: 'error', code: '7', message });

/** A server that only tells its findings by itself: what the text says. */
function telling(check: ForeseeUse['servers']['check']): ForeseeUse {
  const code: CodeServers = {
    rows: SERVERS,
    async converse<T>(_row: unknown, _paths: unknown, work: (session: CodeSession) => Promise<T>) {
      const never = async (): Promise<never> => expect.fail();
      const session: CodeSession = {
        trouble: undefined,
        offers: () => false,
        capability: () => undefined,
        open: () => expect.fail(),
        versionOf: () => undefined,
        settle: never,
        about: never,
        at: never,
        request: never,
      };
      return { answer: await work(session), origin: 'x' };
    },
  };
  return { servers: { rows: SERVERS, isRunning: () => true, check }, code, look: () => async () => [], root: '/root' };
}

it('asks a server that tells its findings by itself about one file, before and after', async () => {
  const use = telling(async (_row, { text }) => ({ findings: [finding(text)], origin: 'x' }));
  expect(await foreseeDiagnostics([{ path: 'a.go', before: 'old', after: 'new' }], use)).toEqual([
    'Worse: a.go:1:1 error 7 new.',
    'Better: 1 finding gone from a.go.',
  ]);
  expect(
    await foreseeDiagnostics(
      ['a.go', 'b.go'].map((path) => ({ path, before: '', after: '' })),
      use,
    ),
  ).toEqual(['Diagnostics of a.go, b.go: not known beforehand, of several files at once.']);
});

it.each<[string, ForeseeUse['servers']['check']]>([
  ['does not work', async () => expect.fail('broken')],
  ['does not answer', async () => ({ findings: undefined, origin: 'x' })],
  ['never ends', async () => await new Promise(() => {})],
])('says that nothing is known where a server %s', async (_, check) => {
  expect(await foreseeDiagnostics([{ path: 'a.go', before: 'old', after: 'new' }], telling(check))).toEqual([
    'Diagnostics of a.go: not known in time.',
  ]);
});
