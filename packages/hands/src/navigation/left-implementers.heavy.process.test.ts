import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const server = await findProgram(serverFor('calc.go')?.row ?? expect.fail(), { root: '/nonexistent', trusted: false });
const METHODS = {
  'go.mod': 'module example.com/calc\n\ngo 1.19\n',
  'calc.go': `package calc

import "fmt"

type Grower interface {
	// Grow grows.
	Grow(int) error
}

type Box struct{ size int }

// Grow implements Grower.
func (b *Box) Grow(by int) error { b.size += by; return nil }

func (b *Box) Half() int { return b.size / 2 }

func (b *Box) String() string { return fmt.Sprint(b.Half()) }

type Fruit interface{ Ripe() bool }

type Apple struct{}

func (Apple) Ripe() bool { return true }

var One Fruit = Apple{}

type Shower interface{ Show() string }

type Page struct{}

func (Page) Show() string { return "page" }

// All grows what can grow.
func All(values []any) {
	for _, value := range values {
		if one, ok := value.(Grower); ok {
			_ = one.Grow(1)
		}
		if one, ok := value.(interface{ Grow(int) error }); ok {
			_ = one.Grow(2)
		}
	}
}
`,
};

describe.runIf(server !== undefined && (await findBubblewrap())?.usable === true)('a rename of a method in Go', { timeout: 120_000 }, () => {
  // The server reads the packages that it knows once.
  let place: TemporaryHands;
  beforeAll(async () => void (place = await temporaryHands(METHODS)));
  afterAll(async () => await place[Symbol.asyncDispose]());
  const rename = async (symbol: string, to = 'Renamed') => await place.hands.call('code', { action: 'rename', path: 'calc.go', symbol, to });

  it.each<readonly [symbol: string, to: string, says: RegExp]>([
    ['Box.String', 'Renamed', /code outside of the workspace implements it, or is implemented by it: .*print\.go/u],
    ['Page.Show', 'GoString', /with the name GoString, they would .* also what is outside of the workspace/u],
    ['Shower.Show', 'Half', /Half is used already at calc\.go:15, calc\.go:17/u],
  ])('is refused where code outside needs the name, or the new one means something: %s', async (symbol, to, says) => {
    const before = readTree(place.folder);
    expect(await rename(symbol, to)).toMatchObject({ ok: false, error: { code: 'conflict', message: expect.stringMatching(says) as string } });
    expect(readTree(place.folder)).toEqual(before);
  });

  it.each<readonly [symbol: string, total: number, changed: readonly string[]]>([
    [
      'Grower.Grow',
      7,
      [
        '\t// Renamed grows.\n\tRenamed(int) error',
        '// Renamed implements Grower.\nfunc (b *Box) Renamed(by',
        'one.Renamed(1)',
        'interface{ Renamed(int) error }',
        'one.Renamed(2)',
      ],
    ],
    [
      'Box.Grow',
      7,
      [
        '\t// Renamed grows.\n\tRenamed(int) error',
        '// Renamed implements Grower.\nfunc (b *Box) Renamed(by',
        'one.Renamed(1)',
        'interface{ Renamed(int) error }',
        'one.Renamed(2)',
      ],
    ],
    ['Apple.Ripe', 2, ['interface{ Renamed() bool }', 'func (Apple) Renamed() bool']],
  ])('is one of all methods of the same interface, with what is said above them: %s', async (symbol, total, changed) => {
    const result = await rename(symbol);
    expect(result).toMatchObject({ ok: true, data: { total }, output: expect.stringContaining('renamed together') as string });
    const text = readFileSync(place.at('calc.go'), 'utf8');
    expect(changed.filter((one) => !text.includes(one))).toEqual([]);
    expect(await place.hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
  });

  it.each<readonly [symbol: string, total: number]>([
    ['Box.Half', 2],
    ['All', 2],
    ['Box.size', 3],
    ['Grower', 2],
    ['Box', 4],
  ])('is not refused where there is none: %s', async (symbol, total) => {
    const result = await rename(symbol);
    expect(result).toMatchObject({ ok: true, data: { total } });
    expect(await place.hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
  });
});
