import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { checkContract } from '../testing/contract.ts';
import { localSite } from '../testing/local-site.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { editFirst, synapsis } from './synapsis.ts';
import { canFetch } from '../web/http-client.ts';

const refusing: Approver = { name: 'a person', ask: async () => ({ verdict: 'deny' }) };
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('contract 3: synapsis', () => {
  it.each([
    ['file_read', 'auto', 5_000],
    ['file_edit', 'ask', 10_000],
    ['file_write', 'ask', 10_000],
    ['bash', 'ask', 30_000],
    ['grep', 'auto', 10_000],
    ['glob', 'auto', 5_000],
    ['diagnostics', 'auto', 5_000],
    ['fetch', 'ask', 15_000],
    ['mcp_tool', 'ask', 30_000],
  ])('| `%s` | %s | %i ms', (name, permission, timeoutMs) => {
    expect(synapsis.tools.find((tool) => tool.name === name)).toMatchObject({ permission, timeoutMs });
  });

  checkContract('synapsis', [
    { says: 'read a file', tool: 'file_read', files: { a: 'text' }, input: { path: 'a' }, output: 'text' },
    {
      says: 'replace the first occurrence; result `{path, applied: true}`',
      tool: 'file_edit',
      files: { a: 'ab ab ab\n' },
      input: { path: 'a', old_text: 'ab', new_text: '$&$1' },
      value: { path: 'a', applied: true },
      output: '{"path":"a","applied":true}',
      leaves: { a: '$&$1 ab ab\n' },
    },
    {
      says: 'the only occurrence',
      tool: 'file_edit',
      files: { a: 'one\r\ntwo\r\n' },
      input: { path: 'a', old_text: 'two', new_text: '2' },
      value: { path: 'a', applied: true },
      leaves: { a: 'one\r\n2\r\n' },
    },
    {
      says: 'the first occurrence, in a file with other line ends',
      tool: 'file_edit',
      files: { a: 'x\r\ny\r\nx\r\ny\r\n' },
      input: { path: 'a', old_text: 'x\ny\n', new_text: 'x\nz\n' },
      value: { path: 'a', applied: true },
      leaves: { a: 'x\r\nz\r\nx\r\ny\r\n' },
    },
    {
      says: '`old_text not found in file`',
      tool: 'file_edit',
      files: { a: 'x' },
      input: { path: 'a', old_text: 'nowhere', new_text: '' },
      output: 'old_text not found in file',
      isError: true,
    },
    {
      says: 'write a file',
      tool: 'file_write',
      input: { path: 'd/a', content: 'x' },
      value: { path: 'd/a', bytes: 1 },
      leaves: { 'd/a': 'x' },
    },
    {
      says: '`command` through `/bin/sh -c` in the project folder, stderr merged into stdout',
      tool: 'bash',
      files: { here: '' },
      input: { command: 'for i in 1 2 3; do echo o$i; echo e$i >&2; done; ls' },
      value: { output: 'o1\ne1\no2\ne2\no3\ne3\nhere\n' },
    },
    {
      says: '`{output}` and, when not 0, `exit_code`',
      tool: 'bash',
      input: { command: 'echo x; exit 7 # why' },
      value: { output: 'x\n', exit_code: 7 },
    },
    { says: 'a here-document', tool: 'bash', input: { command: 'cat <<E\ntext\nE' }, value: { output: 'text\n' } },
    { says: 'a comment alone', tool: 'bash', input: { command: '# nothing\n' }, value: { output: '' } },
    { says: 'cleaned environment', tool: 'bash', input: { command: 'echo "[$VITEST]"' }, value: { output: '[]\n' } },
    {
      says: 'ripgrep-style search',
      tool: 'grep',
      files: { 'a.txt': 'no\nyes\n', 'b.md': 'yes\n' },
      input: { pattern: 'y.s', glob: '*.txt' },
      output: 'a.txt:2:yes\n',
    },
    { says: 'file pattern match', tool: 'glob', files: { 'a/b.ts': '', 'c.js': '' }, input: { pattern: '**/*.ts' }, output: 'a/b.ts\n' },
    {
      says: '`Tool use denied by user`',
      tool: 'bash',
      options: { allow: [], approver: refusing },
      input: { command: 'echo' },
      output: 'Tool use denied by user',
      isError: true,
    },
    {
      says: 'else the reason: no one was asked',
      tool: 'bash',
      options: { allow: [] },
      input: { command: 'echo' },
      output: /needs approval, and nothing was done/u,
      isError: true,
    },
    {
      says: 'else the reason: a rule denies it',
      tool: 'bash',
      options: { policy: { deny: ['exec(echo *)'] } },
      input: { command: 'echo' },
      output: /exec\(echo \*\)/u,
      isError: true,
    },
    {
      says: 'else the reason: an image has no text',
      tool: 'file_read',
      files: { 'a.png': PIXEL },
      input: { path: 'a.png' },
      output: 'a.png is an image of 70B and has no text to read',
      isError: true,
    },
    {
      says: '`Tool use denied by user`',
      tool: 'file_write',
      options: { allow: [], approver: refusing },
      input: { path: 'a', content: '' },
      output: 'Tool use denied by user',
      isError: true,
    },
    {
      says: '`Tool execution timed out`',
      tool: 'bash',
      callOptions: { timeoutMs: 300 },
      input: { command: 'sleep 20' },
      output: 'Tool execution timed out',
      isError: true,
    },
    { says: 'else the reason', tool: 'file_read', input: { path: 'none' }, output: /^File not found: none\./u, isError: true },
    { says: 'a registry resolves names', tool: 'nope', output: 'Unknown tool: nope', isError: true },
  ]);

  it('offers all of them but the tools of MCP servers that are not there', async () => {
    await using place = await temporaryHands();
    const names = place.hands.dialect('synapsis').tools();
    expect(names.map(({ name }) => name)).toEqual(synapsis.tools.map(({ name }) => name).filter((name) => name !== 'mcp_tool'));
  });

  it('| `diagnostics` | language-server diagnostics', async () => {
    const files = { 'tsconfig.json': '{}', 'a.ts': 'export const a: string = 1;\n', 'b.ts': 'export const b = 1;\n' };
    await using place = await temporaryHands(files);
    const dialect = place.hands.dialect('synapsis');
    expect(await dialect.call('diagnostics', { path: 'a.ts' })).toMatchObject({
      isError: false,
      output: expect.stringMatching(/^\[1 file checked by .*\]\na\.ts:1:14 error 2322 Type 'number' is not assignable to type 'string'\./u) as string,
    });
    expect((await dialect.call('diagnostics', { path: 'b.ts' })).output).toMatch(/^\[1 file checked by .*: nothing found\.\]$/u);
    await dialect.call('file_write', { path: 'c.ts', content: 'export const c: string = 2;\n' });
    expect((await dialect.call('diagnostics', {})).output).toMatch(/^c\.ts:1:14 error 2322/mu);
    expect(await dialect.call('diagnostics', { path: 'none.ts' })).toMatchObject({
      isError: true,
      output: expect.stringMatching(/^File not found: none/u) as string,
    });
  });

  it.runIf(canFetch())('| `fetch` | HTTP fetch for docs', async () => {
    await using server = await localSite();
    const open = { policy: { allow: ['fetch(127.0.0.1)'] } };
    await using place = await temporaryHands({}, { allow: [], ...open });
    const dialect = place.hands.dialect('synapsis');
    const page = await dialect.call('fetch', { url: `${server.base}/doc` });
    expect(page).toMatchObject({ isError: false, output: expect.stringMatching(/^\[Data \w{8} from [^]*# Docs[^]*\[End of data/u) as string });
    await using other = await temporaryHands({}, { allow: [], approver: refusing });
    expect(await other.hands.dialect('synapsis').call('fetch', { url: `${server.base}/doc` })).toMatchObject({
      output: 'Tool use denied by user',
      isError: true,
    });
    const late = await dialect.call('fetch', { url: `${server.base}/slow` }, { timeoutMs: 200 });
    expect(late).toMatchObject({ output: 'Tool execution timed out', isError: true });
    const away = await dialect.call('fetch', { url: `${server.base}/away` });
    expect(away).toMatchObject({ output: expect.stringContaining('redirects to https://example.com/there') as string, isError: true });
  });

  it.runIf(canFetch())('a tool that hangs ends with its time, and hurts no other', async () => {
    await using site = await localSite();
    await using place = await temporaryHands({ a: 'x' }, { policy: { allow: ['fetch(127.0.0.1)'] } });
    const dialect = place.hands.dialect('synapsis');
    const [late, other] = await Promise.all([
      dialect.call('fetch', { url: `${site.base}/slow` }, { timeoutMs: 200 }),
      dialect.call('file_read', { path: 'a' }),
    ]);
    expect(late).toMatchObject({ output: 'Tool execution timed out', isError: true, result: { error: { code: 'timeout' } } });
    expect(other.output).toBe('x');
  });
});

describe('the first of several occurrences', () => {
  it.each([
    ['aXbXc', 'X', '-', 'a-bXc'],
    ['abab', 'ab', 'c', 'cab'],
    ['aaa', 'a', 'b', 'baa'],
    ['x\n'.repeat(5_000), 'x', 'y', `y\n${'x\n'.repeat(4_999)}`],
    ['😀X😀X', 'X', '😀', '😀😀😀X'],
  ])('%#: one place of %j', (content, oldText, newText, wanted) => {
    const edit = editFirst(content, oldText, newText);
    const place = content.indexOf(edit?.old_text ?? '');
    expect(content.indexOf(edit?.old_text ?? '', place + 1)).toBe(-1);
    expect(content.slice(0, place) + edit?.new_text + content.slice(place + (edit?.old_text.length ?? 0))).toBe(wanted);
  });

  it.each([
    ['', 'x'],
    ['abc', 'd'],
    ['abc', ''],
  ])('is nowhere in %j for %j', (content, oldText) => {
    expect(editFirst(content, oldText, 'new')).toBeUndefined();
  });
});
