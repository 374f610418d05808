import { describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

/** The file of another system is in no package that gopls loads here. */
const OTHER_SYSTEM = '//go:build plan9\n\npackage calc\n\nfunc onPlan9() int {\n\tsum := Twice(1)\n\treturn sum\n}\n';
const FILES = {
  'go.mod': 'module example.com/calc\n\ngo 1.20\n',
  'calc.go':
    'package calc\n\n// Twice doubles.\nfunc Twice(n int) int {\n\tsum := n + n\n\treturn sum\n}\n\ntype Box struct{ Size int }\n\nfunc Grow(b Box) int { return b.Size }\n',
};

const server = await findProgram(serverFor('calc.go')?.row ?? expect.fail(), { root: '/nonexistent', trusted: false });
const rename = async ({ hands }: TemporaryHands, input: object) => await hands.call('code', { action: 'rename', path: 'calc.go', ...input });

describe.runIf(server !== undefined && (await findBubblewrap())?.usable === true)('a rename in Go', { timeout: 120_000 }, () => {
  it('is refused where a file that the server has not loaded uses the name, and changes nothing', async () => {
    await using place = await temporaryHands({ ...FILES, 'calc_other.go': OTHER_SYSTEM });
    const before = readTree(place.folder);
    expect(await rename(place, { symbol: 'Twice', to: 'Double' })).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('does not know what Twice is at calc_other.go:6') as string },
    });
    expect(readTree(place.folder)).toEqual(before);
  });

  it('of a local variable is not refused for a name in a file that is not loaded', async () => {
    await using place = await temporaryHands({ ...FILES, 'calc_other.go': OTHER_SYSTEM });
    expect(await rename(place, { line: 5, text: 'sum', to: 'total' })).toMatchObject({ ok: true, data: { total: 2 } });
  });

  it('is not refused for the name in comments and strings, in other packages and of other things', async () => {
    await using place = await temporaryHands({
      ...FILES,
      'words.go': 'package calc\n\n// Twice in a comment.\nconst words = "Twice"\n\ntype T struct{ Twice int }\n\nvar t = T{Twice: 1}\n',
      'other/other.go':
        'package other\n\nimport "fmt"\n\nfunc Twice(n any) {\nTwice:\n\tfor {\n\t\tswitch Twice := n.(type) {\n\t\tcase int:\n\t\t\tfmt.Println(Twice)\n\t\tcase string:\n\t\t\tbreak Twice\n\t\t}\n\t}\n}\n',
    });
    expect(await rename(place, { symbol: 'Twice', to: 'Double' })).toMatchObject({ ok: true, data: { total: 2 } });
  });
});
