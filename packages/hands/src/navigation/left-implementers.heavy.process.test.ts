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

// All grows what can grow.
func All(values []any) {
	for _, value := range values {
		if one, ok := value.(Grower); ok {
			_ = one.Grow(1)
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
  const rename = async (symbol: string) => await place.hands.call('code', { action: 'rename', path: 'calc.go', symbol, to: 'Renamed' });

  it.each<readonly [symbol: string, says: RegExp]>([
    ['Grower.Grow', /the server leaves out what implements it, or is implemented by it: calc\.go:13/u],
    ['Box.Grow', /the server leaves out what implements it, or is implemented by it: calc\.go:7/u],
    ['Apple.Ripe', /the server says: .* no longer assignable to interface Fruit/u],
    ['Box.String', /code outside of the workspace implements it, or is implemented by it: .*print\.go/u],
  ])('is refused where the server leaves a method of the same interface: %s', async (symbol, says) => {
    const before = readTree(place.folder);
    expect(await rename(symbol)).toMatchObject({
      ok: false,
      error: {
        code: 'conflict',
        hint: expect.stringContaining('implementations finds the others') as string,
        message: expect.stringMatching(says) as string,
      },
    });
    expect(readTree(place.folder)).toEqual(before);
  });

  it.each<readonly [symbol: string, total: number]>([
    ['Box.Half', 2],
    ['Grower', 2],
    ['Box', 4],
  ])('is not refused where there is none: %s', async (symbol, total) => {
    const result = await rename(symbol);
    expect(result).toMatchObject({ ok: true, data: { total } });
    expect(await place.hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
  });
});
