import { join } from 'node:path';
import { expect, it } from 'vitest';
import { queryAudit } from '../audit/query-audit.ts';
import { callUntyped } from '../testing/call-untyped.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const lines = (count: number, word: string): string => Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('');
const FILES = {
  'a.txt': 'one\ntwo\n',
  'src/b.ts': 'const b = 1;',
  'secret/key.txt': 'hunter2\n',
  'big.txt': lines(9_000, 'big'),
  'big2.txt': lines(9_000, 'two'),
};

it('reads several files in one call, each with its own header', async () => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call('read_file', { paths: ['a.txt', 'src/b.ts'] }, { callId: 'outer' });
  expect(result.ok && result.output).toMatch(
    /^\[a\.txt: lines 1-2 of 2; version \w+\.\]\none\ntwo\n\[src\/b\.ts: lines 1-1 of 1; version \w+\.\]\nconst b = 1;$/u,
  );
  expect(result).toMatchObject({
    data: {
      kind: 'files',
      files: [
        { path: 'a.txt', content: 'one\ntwo\n' },
        { path: 'src/b.ts', total_lines: 1 },
      ],
    },
  });
  const calls = [...queryAudit(join(at.folder, '..', 'state'), at.folder)];
  // They ran at once, so either may have ended first.
  expect(new Set(calls.map(({ start, end }) => [start.parent, ...(end?.resolved ?? [])].join(' ')))).toEqual(
    new Set(['', 'outer a.txt', 'outer src/b.ts']),
  );
});

it('reads the others where one is missing, denied, outside or a folder', async () => {
  await using at = await temporaryHands(FILES, { policy: { deny: ['read(secret/**)'] } });
  const result = await at.hands.call('read_file', { paths: ['none.txt', 'secret/key.txt', '../x', 'src', 'a.txt'] });
  expect(result).toMatchObject({
    ok: true,
    data: {
      files: [
        { path: 'none.txt', error: { code: 'not_found' } },
        { path: 'secret/key.txt', error: { code: 'denied' } },
        { path: '../x', error: { code: 'outside_workspace' } },
        { path: 'src', error: { code: 'wrong_type' } },
        { path: 'a.txt', content: 'one\ntwo\n' },
      ],
    },
  });
  expect(result.ok && result.output).toContain('4 of 5 files could not be read');
  expect(result.ok && result.output).toContain('[none.txt: not read. File not found: none.txt. Use list_directory');
  expect(JSON.stringify(result)).not.toContain('hunter2');
  // An explanation is about the strictest of them.
  expect(await at.hands.explain('read_file', { paths: ['a.txt', 'secret/key.txt'] })).toMatchObject({ verdict: 'deny' });
  expect(await at.hands.explain('read_file', { paths: ['a.txt'] })).toMatchObject({ verdict: 'allow' });
});

it('fails where nothing could be read', async () => {
  await using at = await temporaryHands(FILES);
  expect(await at.hands.call('read_file', { paths: ['x', 'y'] })).toMatchObject({
    ok: false,
    error: { code: 'not_found', message: expect.stringContaining('None of the 2 files was read') as string },
  });
});

it('bounds the whole: small files are whole, and large ones share the rest', async () => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call('read_file', { paths: ['big.txt', 'a.txt', 'big2.txt'] });
  const output = result.ok ? result.output : '';
  expect(Buffer.byteLength(output)).toBeLessThan(41_000);
  expect(output.split('\n').length).toBeLessThan(2_010);
  expect(result).toMatchObject({ data: { files: [{ truncated: true }, { truncated: false, total_lines: 2 }, { truncated: true }] } });
  // The small file is whole, and each header says where its file goes on.
  expect(output).toMatch(/\[big\.txt: lines 1-999 of 9000; version \w+\. Go on with offset 1000\.\]/u);
  expect(output).toContain('one\ntwo\n');
});

it('applies a range to each', async () => {
  await using at = await temporaryHands(FILES);
  expect(await at.hands.call('read_file', { paths: ['a.txt', 'big.txt'], offset: 2, limit: 1 })).toMatchObject({
    data: { files: [{ content: 'two\n' }, { content: 'big 2\n' }] },
  });
});

it.each<[string, object, string[]]>([
  ['both', { path: 'a.txt', paths: ['src/b.ts'] }, ['a.txt', 'src/b.ts']],
  ['one twice', { paths: ['a.txt', 'a.txt'] }, ['a.txt']],
  ['a list as text', { paths: '["a.txt","src/b.ts"]' }, ['a.txt', 'src/b.ts']],
  ['another name', { files: ['a.txt', 'src/b.ts'] }, ['a.txt', 'src/b.ts']],
])('understands %s', async (_, input, paths) => {
  await using at = await temporaryHands(FILES);
  expect(await callUntyped(at.hands, 'read_file', input)).toMatchObject({ data: { files: paths.map((path) => ({ path })) } });
});

it.each<[object]>([[{ path: 'a.txt', paths: [] }], [{ paths: 'a.txt' }], [{ path: ['a.txt'] }]])(
  'reads a single file for %j as ever',
  async (input) => {
    await using at = await temporaryHands(FILES);
    expect(await callUntyped(at.hands, 'read_file', input)).toMatchObject({
      ok: true,
      data: { content: expect.stringContaining('one\ntwo\n') as string },
    });
  },
);

it.each<[object]>([
  [{}],
  [{ path: ['a.txt', 'src/b.ts'] }],
  [{ paths: [] }],
  [{ paths: [1] }],
  [{ paths: Array.from({ length: 51 }, (_, index) => `f${index}`) }],
])('refuses %j', async (input) => {
  await using at = await temporaryHands(FILES);
  expect(await callUntyped(at.hands, 'read_file', input)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
});
