import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallFailure, CallResult } from '@synapse/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../tool/tool.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { contentVersion } from '../workspace/open-file.ts';
import type { ToolData, ToolInput } from '../runtime/typed-call.ts';
import { editFile } from './edit-file.ts';

type Data = ToolData<'edit_file'>;

// Bad input is tried as well, which does not compile.
const edit = (at: TemporaryHands, path: string, edits: unknown, more: object = {}): Promise<CallResult<Data>> =>
  at.hands.call('edit_file', { path, edits, ...more } as ToolInput<'edit_file'>);

function failed(result: CallResult): CallFailure['error'] {
  if (result.ok) throw new Error('the call did not fail');
  return result.error;
}

const one = (old_text: string, new_text: string): unknown => [{ old_text, new_text }];

describe('edit_file', () => {
  it('changes a file and tells what changed', async () => {
    await using at = await temporaryHands({ 'src/a.ts': 'const a = 1;\nconst b = 2;\n' });
    const result = await edit(at, 'src/a.ts', one('a = 1', 'a = 3'));
    expect(await readFile(at.at('src/a.ts'), 'utf8')).toBe('const a = 3;\nconst b = 2;\n');
    const version = contentVersion(Buffer.from('const a = 3;\nconst b = 2;\n'));
    expect(result).toMatchObject({
      ok: true,
      output: `[line 1 changed, version ${version}]`,
      data: {
        diff: '@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 3;\n const b = 2;',
        path: 'src/a.ts',
        version,
        previous_version: contentVersion(Buffer.from('const a = 1;\nconst b = 2;\n')),
        replacements: [{ line: 1, tier: 'exact', count: 1 }],
      },
    });
  });

  it.each<[string, string, unknown, string]>([
    [
      'several edits',
      'a\nb\nc\nd\n',
      [
        { old_text: 'a', new_text: 'A\nAA' },
        { old_text: 'c\nd', new_text: 'C\nD' },
      ],
      'lines 1-2, 4-5 changed',
    ],
    ['a deletion', 'a\nb\nc\n', [{ old_text: 'b\n', new_text: '' }], '1 line after 1 deleted'],
    ['part of a line', 'ab\n', [{ old_text: 'b', new_text: '' }], 'line 1 changed'],
    ['one place of replace_all', 'a\nb\n', [{ old_text: 'b', new_text: 'c', replace_all: true }], 'line 2 changed'],
  ])('answers exact edits by their lines: %s', async (_, text, edits, says) => {
    await using at = await temporaryHands({ a: text });
    const result = await edit(at, 'a', edits);
    expect(result.ok && result.output).toBe(`[${says}, version ${contentVersion(await readFile(at.at('a')))}]`);
  });

  it('shows each changed line where several places were changed by one edit', async () => {
    await using at = await temporaryHands({ a: 'x\nb\nxx\nb\n', many: 'x\n'.repeat(200) });
    const all = (old_text: string, new_text: string): unknown => [{ old_text, new_text, replace_all: true }];
    const result = await edit(at, 'a', all('x', 'y'));
    expect(result.ok && result.output).toMatch(/^\[3 places changed, version \w+\]\n1: y\n3: yy$/u);
    const many = await edit(at, 'many', all('x', 'y'));
    expect(many.ok && many.output).toMatch(/^\[200 places changed, version \w+\]\n1: y\n(?:\d+: y\n){79}… 120 more changed lines$/u);
    // Where lines went, a diff shows what.
    const deleted = await edit(at, 'a', all('b\n', ''));
    expect(deleted.ok && deleted.output).toMatch(/^\[now version \w+\]\n@@ -1,4 \+1,2 @@\n y\n-b\n yy\n-b$/u);
  });

  it('tells which edit matched loosely', async () => {
    await using at = await temporaryHands({ a: '“x”  \ny\n' });
    const result = await edit(at, 'a', one('"x"\ny', '"x"\nz'));
    expect(await readFile(at.at('a'), 'utf8')).toBe('“x”  \nz\n');
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining('edits[0] matched apart from white space at line ends.') });
  });

  it('takes edits that were sent as JSON text', async () => {
    await using at = await temporaryHands({ a: 'x' });
    expect(await edit(at, 'a', JSON.stringify(one('x', 'y')))).toMatchObject({ ok: true });
    expect(await readFile(at.at('a'), 'utf8')).toBe('y');
  });

  it.each([
    ['UTF-8 with mark and CRLF', Buffer.from('\ufeffé\r\nold\r\n'), Buffer.from('\ufeffé\r\nné\r\nw\r\n')],
    ['UTF-16 LE', Buffer.from('\ufeffé\nold\n', 'utf16le'), Buffer.from('\ufeffé\nné\nw\n', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\ufeffé\nold', 'utf16le').swap16(), Buffer.from('\ufeffé\nné\nw', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('\xe9t\xe9 \xe0 No\xebl\nold\n', 'latin1'), Buffer.from('\xe9t\xe9 \xe0 No\xebl\nn\xe9\nw\n', 'latin1')],
  ])('keeps %s, and writes new text in it', async (_, before, after) => {
    await using at = await temporaryHands({ a: before });
    expect(await edit(at, 'a', one('old', 'né\nw'))).toMatchObject({ ok: true });
    expect(await readFile(at.at('a'))).toEqual(after);
  });

  it.each([
    ['UTF-8 and Latin-1 in one file', Buffer.from('caf\xc3\xa9 caf\xe9 old', 'latin1'), 'né'],
    ['a letter that Latin-1 lacks', Buffer.from('\xe9t\xe9 \xe0 No\xebl old', 'latin1'), '日'],
  ])('refuses what cannot be written back: %s', async (_, before, text) => {
    await using at = await temporaryHands({ a: before });
    expect(failed(await edit(at, 'a', one('old', text)))).toMatchObject({ code: 'encoding' });
    expect(await readFile(at.at('a'))).toEqual(before);
    expect(await edit(at, 'a', one('old', 'new'))).toMatchObject({ ok: true });
    expect(await readFile(at.at('a'))).toEqual(Buffer.concat([before.subarray(0, -3), Buffer.from('new')]));
  });

  it('changes no byte outside the edit, whatever the file holds', async () => {
    await using at = await temporaryHands();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((all) => all.filter((byte) => byte !== 0)),
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => Buffer.from(text.replaceAll('\0', ''))),
      fc.constantFrom('\r\n', '\n', '$&', '\u2028', 'é').map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, bytes, fc.constantFrom('new', '$&', "$'$1$$", 'two\nlines'), async (before, after, text) => {
        const [head, tail] = [Buffer.concat([before, Buffer.from('\nOLD-TEXT')]), Buffer.from(after)];
        await writeFile(at.at('a'), Buffer.concat([head, tail]));
        const result = await edit(at, 'a', one('OLD-TEXT', text));
        // Bytes that begin like UTF-16 and are none, or hold the marker as part of a wide character.
        fc.pre(result.ok);
        const written = await readFile(at.at('a'));
        // The text before may end with the first half of a line end.
        const lineEnd = Buffer.concat([head, tail]).includes('\r\n') ? /^(?:\r?\n|[^\n])*$/u : /^[^\r]*$/u;
        expect(written.subarray(0, before.length + 1)).toEqual(head.subarray(0, before.length + 1));
        expect(written.subarray(written.length - tail.length)).toEqual(tail);
        const middle = written.subarray(before.length + 1, written.length - tail.length).toString();
        expect(middle.replaceAll('\r\n', '\n')).toBe(text);
        expect(middle).toMatch(lineEnd);
      }),
      { numRuns: 60, examples: [[Buffer.from([13]), Buffer.from([]), 'two\nlines']] },
    );
  });

  it('keeps mode, and writes through a link into its file', async () => {
    await using at = await temporaryHands({ 'real.sh': 'old\n' });
    await chmod(at.at('real.sh'), 0o751);
    await symlink('real.sh', at.at('link.sh'));
    const result = await edit(at, 'link.sh', one('old', 'new'));
    expect(result).toMatchObject({
      ok: true,
      data: { path: 'real.sh' },
      output: expect.stringMatching(/^\[real\.sh: line 1 changed, version /u) as string,
    });
    expect((await stat(at.at('real.sh'))).mode & 0o7777).toBe(0o751);
    expect(await readFile(at.at('real.sh'), 'utf8')).toBe('new\n');
    expect(await readdir(at.folder)).toEqual(['link.sh', 'real.sh']);
  });

  it.each([
    ['a missing file', 'none.txt', 'not_found', 'write_file'],
    ['a folder', 'folder', 'wrong_type', ''],
    ['a binary file', 'binary', 'binary_file', ''],
    ['a sparse file of 3 GB, without loading it', 'large', 'binary_file', ''],
    ['a file outside', '../outside/a', 'outside_workspace', ''],
    ['a link that leads outside', 'leaving', 'outside_workspace', ''],
    ['a protected file', '.git/config', 'approval_required', 'protected'],
  ])('refuses %s', async (_, path, code, hint) => {
    await using at = await temporaryHands({ binary: Buffer.from('a\0b'), large: 'a', '.git/config': 'a' });
    await mkdir(at.at('folder'));
    await truncate(at.at('large'), 3 * 1024 ** 3);
    await writeFile(`${at.outside}/secret`, 'a');
    await symlink(`${at.outside}/secret`, at.at('leaving'));
    const error = failed(await edit(at, path, one('a', 'b')));
    expect(error.code).toBe(code);
    expect(error.hint ?? '').toContain(hint);
    expect(await readFile(`${at.outside}/secret`, 'utf8')).toBe('a');
  });

  it('refuses to load or to make a file of more than 10 MiB', async () => {
    await using at = await temporaryHands({ large: 'a'.repeat(10 * 1024 * 1024 + 1), small: 'a '.repeat(4000) });
    expect(failed(await edit(at, 'large', one('a', 'b')))).toMatchObject({ code: 'too_large' });
    const error = failed(await edit(at, 'small', [{ old_text: 'a', new_text: 'b'.repeat(4000), replace_all: true }]));
    expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('nothing was changed') });
  });

  it('needs a permission to write', async () => {
    await using at = await temporaryHands({ a: 'x' }, { allow: [] });
    expect(failed(await edit(at, 'a', one('x', 'y')))).toMatchObject({ code: 'approval_required' });
    expect(await readFile(at.at('a'), 'utf8')).toBe('x');
  });

  it('applies to a changed file where the text is untouched, else tells what is there', async () => {
    await using at = await temporaryHands({ a: 'one\ntwo\n' });
    const version = contentVersion(Buffer.from('one\ntwo\n'));
    await writeFile(at.at('a'), 'zero\none\ntwo\n');
    const result = await edit(at, 'a', one('two', '2'), { version });
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining(`had changed since ${version}`) });
    expect(await readFile(at.at('a'), 'utf8')).toBe('zero\none\n2\n');
    const error = failed(await edit(at, 'a', one('two', 'x'), { version }));
    expect(error).toMatchObject({ code: 'conflict', details: { version: contentVersion(Buffer.from('zero\none\n2\n')) } });
  });

  it('leaves the file as it is where one edit of several fails', async () => {
    await using at = await temporaryHands({ a: 'one two' });
    expect(
      failed(
        await edit(at, 'a', [
          { old_text: 'one', new_text: '1' },
          { old_text: 'three', new_text: '3' },
        ]),
      ),
    ).toMatchObject({ code: 'no_match' });
    expect(await readFile(at.at('a'), 'utf8')).toBe('one two');
    expect(await readdir(at.folder)).toEqual(['a']);
  });
});

describe('edits at once', () => {
  const regions = Array.from({ length: 20 }, (_, index) => `region ${index} old;\n`).join('');

  it('all land within one process', async () => {
    await using at = await temporaryHands({ a: regions });
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => edit(at, 'a', one(`region ${index} old`, `region ${index} new`))));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(await readFile(at.at('a'), 'utf8')).toBe(regions.replaceAll('old', 'new'));
  });

  it('are never lost, also by different names of the file, one of them a link', async () => {
    await using at = await temporaryHands({ a: regions });
    await symlink('a', at.at('b'));
    await mkdir(at.at('folder'));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        edit(at, ['a', 'b', './folder/../a', at.at('a')][index % 4]!, one(`region ${index} old`, `region ${index} new`)),
      ),
    );
    expect(await readFile(at.at('a'), 'utf8')).toBe(regions.replaceAll('old', 'new'));
  });

  it('of the same text: one succeeds, the others fail with the reason', async () => {
    await using at = await temporaryHands({ a: 'counter = 0' });
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => edit(at, 'a', one('counter = 0', `counter = ${index + 1}`))));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(new Set(results.flatMap((result) => (result.ok ? [] : [result.error.code])))).toEqual(new Set(['no_match']));
  });

  it('of several processes land or are refused, and none is lost', async () => {
    await using at = await temporaryHands({ a: regions });
    const script = (process: number): string => `
      import { createHands } from ${JSON.stringify(new URL('../runtime/create-hands.ts', import.meta.url).href)};
      await using hands = await createHands({ workspace: ${JSON.stringify(at.folder)}, stateFolder: ${JSON.stringify(`${at.folder}/../state`)}, allow: ['write'] });
      const regions = Array.from({ length: 5 }, (_, index) => index + ${process * 5});
      const results = await Promise.all(regions.map((index) =>
        hands.call('edit_file', { path: 'a', edits: [{ old_text: \`region \${index} old\`, new_text: \`region \${index} new\` }] })));
      console.log(JSON.stringify(results.map((result, index) => [regions[index], result.ok ? 'landed' : result.error.code])));`;
    const outcomes = await Promise.all(
      [0, 1, 2, 3].map(async (number) => {
        const child = spawn(process.execPath, ['--conditions=synapse-source', '--input-type=module', '-e', script(number)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        await once(child, 'close');
        return JSON.parse(output) as Array<[number, string]>;
      }),
    );
    const written = await readFile(at.at('a'), 'utf8');
    for (const [region, outcome] of outcomes.flat()) {
      expect(['landed', 'conflict', 'busy']).toContain(outcome);
      expect(written).toContain(`region ${region} ${outcome === 'landed' ? 'new' : 'old'};\n`);
    }
    expect(outcomes.flat()).toHaveLength(20);
    expect(written.split('\n')).toHaveLength(21);
  });

  it('are refused where something else writes the file meanwhile', async () => {
    const slowEdit = defineTool({
      ...editFile,
      name: 'slow_edit',
      execute: (input, ctx) => {
        const { workspace } = ctx;
        const change: typeof workspace.change = (paths, compute) =>
          workspace.change(paths, async (scope) => {
            const result = await compute(scope);
            await writeFile(join(workspace.root, 'a'), 'written by an editor; old');
            return result;
          });
        return editFile.execute(input, { ...ctx, workspace: Object.create(workspace, { change: { value: change } }) as typeof workspace });
      },
    });
    await using at = await temporaryHands({ a: 'old' }, { tools: [slowEdit] });
    const result = await at.hands.call('slow_edit', { path: 'a', edits: [{ old_text: 'old', new_text: 'new' }] });
    expect(failed(result)).toMatchObject({ code: 'conflict', retryable: true });
    expect(await readFile(at.at('a'), 'utf8')).toBe('written by an editor; old');
    expect(await readdir(at.folder)).toEqual(['a']);
  });
});

it('does not tell what a link leads to that may not be read', async () => {
  await using at = await temporaryHands({ 'secrets/key': 'TOKEN=zebra\n' }, { policy: { deny: ['read(secrets/**)'] } });
  await symlink('secrets', at.at('link'));
  for (const text of ['TOKEN=x', 'TOKEN=zebra']) {
    const result = await edit(at, 'link/key', one(text, 'y'));
    expect(failed(result).code).toBe('denied');
    expect(JSON.stringify(result)).not.toContain('TOKEN');
  }
});
