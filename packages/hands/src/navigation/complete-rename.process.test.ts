import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'pyproject.toml': '[tool.pyright]\ninclude = ["src"]\n',
  'src/calc/__init__.py': 'from .sums import total as total\n',
  'src/calc/sums.py':
    'def total(value: int) -> int:\n    return value\n\n\nclass Base:\n    kind = 1\n    sort = 1\n\n    def show(self) -> int:\n        return self.kind\n\n\nclass Other(Base):\n    pass\n',
  'tests/test_sums.py':
    'import calc\nfrom calc.sums import Base\nfrom calc.sums import total\n\n\ndef test_total():\n    taken = 1\n    assert total(taken) == calc.total(1)\n\n\ndef test_kind():\n    class Mine(Base):\n        kind = 2\n\n    assert Mine().show() == 2\n\n\ndef test_sort(base):\n    class Mine(base.kind):\n        sort = 2\n',
};
const program = await findProgram(serverFor('a.py')?.row ?? expect.fail(), { root: '/nonexistent', trusted: false });
const rename = async ({ hands }: TemporaryHands, symbol: string, to: string) =>
  await hands.call('code', { action: 'rename', path: 'src/calc/sums.py', symbol, to });

describe.runIf(program !== undefined && (await findBubblewrap())?.usable === true)('a rename in Python', { timeout: 120_000 }, () => {
  it('reaches tests that the settings of the project leave out, and says so', async () => {
    await using place = await temporaryHands(FILES);
    // The server may still read the files of the project.
    await expect
      .poll(async () => await rename(place, 'total', 'amount'), { timeout: 90_000 })
      .toMatchObject({ ok: true, output: expect.stringContaining('settings of the project leave out: tests/test_sums.py') as string });
    expect(readFileSync(place.at('tests/test_sums.py'), 'utf8')).toBe(
      FILES['tests/test_sums.py'].replace('import total', 'import amount').replace('total(taken) == calc.total', 'amount(taken) == calc.amount'),
    );
    expect(readFileSync(place.at('src/calc/__init__.py'), 'utf8')).toBe('from .sums import amount as amount\n');
  });

  it('of what a file only imports is refused where others take it from there', async () => {
    await using place = await temporaryHands(FILES);
    const before = readTree(place.folder);
    await expect
      .poll(async () => await place.hands.call('code', { action: 'rename', path: 'src/calc/__init__.py', line: 1, text: 'as total', to: 'amount' }), {
        timeout: 90_000,
      })
      .toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/take it from there, such as tests\/test_sums\.py:3.*rename its declaration/u) as string },
      });
    expect(readTree(place.folder)).toEqual(before);
  });

  it('is refused where such a test has the new name, and where a class sets the name anew', async () => {
    await using place = await temporaryHands(FILES);
    const before = readTree(place.folder);
    await expect
      .poll(async () => await rename(place, 'total', 'taken'), { timeout: 90_000 })
      .toMatchObject({ ok: false, error: { message: expect.stringContaining('taken is used already at tests/test_sums.py:7') as string } });
    expect(await rename(place, 'Base.kind', 'order')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('leaves out what overrides it: tests/test_sums.py:13 Mine.kind') as string },
    });
    expect(await rename(place, 'Base.sort', 'order')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('leaves out what overrides it: tests/test_sums.py:20 Mine.sort') as string },
    });
    expect(readTree(place.folder)).toEqual(before);
  });
});
