import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { canPaste } from './pasted-names.ts';

it.each<[body: string, parameters: string[], name: string, can: boolean]>([
  ['do_##x()', ['x'], 'do_thing', true],
  ['do_ ## x ()', ['x'], 'do_', true],
  ['do_##x()', ['x'], 'undo_thing', false],
  ['prefix##_##x', ['prefix', 'x'], 'lib_other', true],
  ['prefix##_##x', ['prefix', 'x'], 'other', false],
  ['a##b', ['a', 'b'], 'anything', true],
  ['f(#x, "do_##x")', ['y'], 'do_thing', false],
  ['a##_b_##c', ['a', 'c'], 'x_b_b_y', true],
  ['a##_b', ['a'], 'x_b_b', true],
  ['x_##a##_b', ['a'], 'x_b', false],
  ['call_##__VA_ARGS__', ['__VA_ARGS__'], 'call_it', true],
])('of %s, %j may make %s: %s', (body, parameters, name, can) => {
  expect(canPaste({ name: 'M', parameters: new Set(parameters), body }, name)).toBe(can);
});

it('is fast for a macro with many parts', () => {
  const parameters = Array.from({ length: 500 }, (_, index) => `p${index}`);
  expect(canPaste({ name: 'M', parameters: new Set(parameters), body: `${parameters.join('##a##')}##b` }, 'a'.repeat(200))).toBe(false);
});

const FILES = {
  'a.h': '#define GET(x) \\\n\tget_##x()\n#define BOTH(f) f(width)\nint get_width(void);\nint get_height(void);\nint plain(void);\n',
  'a.c': '#include "a.h"\nint get_width(void) { return 1; }\nint get_height(void) { return 2; }\nint plain(void) { return get_height(); }\n',
  // It has the name nowhere: a search for it finds other files.
  'only.c': '#include "a.h"\nint only(void) { return BOTH(GET); }\n',
};
const row = serverFor('a.c')?.row ?? expect.fail();
const works = (await findBubblewrap())?.usable === true && (await findProgram(row, { root: '/nonexistent', trusted: false })) !== undefined;

describe.runIf(works)('a rename in C', { timeout: 120_000 }, () => {
  it('is refused where a macro pastes the name together, and changes nothing', async () => {
    await using place = await temporaryHands(FILES);
    const result = await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'get_width', to: 'get_size' });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('a macro pastes get_width together at only.c:2 (GET)') as string },
    });
    expect(readFileSync(place.at('a.c'), 'utf8')).toBe(FILES['a.c']);
  });

  it('is refused for the argument of a macro that pastes other names from it, and not for one that it takes as it is', async () => {
    const hpp =
      '#define FIELD(n, v) int n##_ = v; int n() const { return n##_; }\nconstexpr int start = 1;\nstruct Box { FIELD(width, start) int twice() { return width_ * 2; } };\n';
    await using place = await temporaryHands({ 'a.hpp': hpp, 'a.cpp': '#include "a.hpp"\nint use(Box& b) { return b.width(); }\n' });
    const width = await place.hands.call('code', { action: 'rename', path: 'a.cpp', line: 2, text: 'width', to: 'breadth' });
    expect(width).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('a macro pastes other names from width at a.hpp:3 (FIELD)') as string },
    });
    expect(await place.hands.call('code', { action: 'rename', path: 'a.hpp', symbol: 'start', to: 'first' })).toMatchObject({
      ok: true,
      data: { total: 2 },
    });
    expect(readFileSync(place.at('a.hpp'), 'utf8')).toBe(hpp.replaceAll('start', 'first'));
  });

  it('is not refused for a name that such a macro could make, and does not', async () => {
    await using place = await temporaryHands(FILES);
    const result = await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'get_height', to: 'get_size' });
    // The header is read as C: as C++, its function would be another one.
    expect(result).toMatchObject({ ok: true, data: { total: 3 } });
    expect(readFileSync(place.at('a.h'), 'utf8')).toContain('int get_size(void);');
    expect(await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'plain', to: 'simple' })).toMatchObject({ ok: true });
  });

  it('is not refused beside C++ that does not include the header, and references name its declaration', async () => {
    await using place = await temporaryHands({ ...FILES, 'deps/other.cpp': '#include "other.h"\nint other() { return 1; }\n' });
    expect(await place.hands.call('code', { action: 'references', path: 'a.c', symbol: 'plain' })).toMatchObject({
      ok: true,
      data: { kind: 'server', places: [{ path: 'a.c' }, { path: 'a.h', line: 6 }] },
    });
    expect(await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'plain', to: 'simple' })).toMatchObject({
      ok: true,
      data: { total: 2 },
    });
  });

  it('is refused where the server takes a header for C++, and so its declaration for another function', async () => {
    const files = { ...FILES, 'other.cpp': '#include "a.h"\nint other() { return 1; }\n' };
    await using place = await temporaryHands(files);
    const result = await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'plain', to: 'simple' });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('leaves out its declaration at a.h:6, which an edited file includes') as string },
    });
    // Control: with what says how it is compiled, or as C for both, it is one function.
    await using told = await temporaryHands({ ...files, 'compile_flags.txt': '-xc\n' });
    expect(await told.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'plain', to: 'simple' })).toMatchObject({
      ok: true,
      data: { total: 2 },
    });
  });
});
