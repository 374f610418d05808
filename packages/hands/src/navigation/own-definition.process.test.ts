import { expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const confined = (await findBubblewrap())?.usable === true;

it('finds where the body of a function of C is, also when asked there', { timeout: 60_000 }, async ({ skip }) => {
  const { row } = serverFor('a.c') ?? expect.fail();
  skip(!confined || (await findProgram(row, { root: '/nonexistent', trusted: false })) === undefined, 'no sandbox, or no clangd');
  await using place = await temporaryHands({
    'a.c': '#include "a.h"\nint add(int a, int b) { return a + b; }\nint twice(int a) { return add(a, a); }\n',
    'a.h': 'int add(int a, int b);\n',
    'b.c': '#include "a.h"\nint main(void) { return add(1, 2); }\n',
  });
  const { hands } = place;
  // The server knows of the other files once they were opened.
  await hands.call('code', { action: 'references', path: 'a.c', symbol: 'add' });
  const asked = [
    await hands.call('code', { action: 'definition', path: 'a.c', symbol: 'add' }),
    await hands.call('code', { action: 'definition', path: 'a.c', line: 3, text: 'add' }),
    await hands.call('code', { action: 'definition', path: 'b.c', line: 2, text: 'add' }),
  ];
  for (const found of asked) expect(found).toMatchObject({ ok: true, data: { kind: 'server', places: [{ path: 'a.c', line: 2 }] } });
  expect(asked[0]).toMatchObject({ output: expect.stringContaining('declared at a.h:1') as string });
});
