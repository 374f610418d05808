import { describe, expect, it } from 'vitest';
import { checkContract } from '../testing/contract.ts';
import { localSite } from '../testing/local-site.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { canFetch } from '../web/http-client.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');

describe('Claude Code', () => {
  const files = { 'src/a.ts': 'one\ntwo\nthree\n', 'b.md': 'two\nTwo\n' };
  checkContract('claude-code', [
    { says: 'Read', tool: 'Read', files, input: { file_path: 'src/a.ts', offset: 2, limit: 1 }, output: /^ {5}2\ttwo\n/u },
    {
      says: 'Read of a picture',
      tool: 'Read',
      files: { 'p.png': PNG },
      input: { file_path: 'p.png' },
      output: '[Image: p.png]',
      answer: { result: { content: [{}, { type: 'image' }] } },
    },
    { says: 'Write', tool: 'Write', input: { file_path: 'd/n', content: 'x' }, output: 'd/n was created: 1 byte.' },
    {
      says: 'Edit',
      tool: 'Edit',
      files,
      input: { file_path: 'b.md', old_string: 'two', new_string: 'three' },
      leaves: { 'b.md': 'three\nTwo\n' },
    },
    {
      says: 'Edit, replace_all',
      tool: 'Edit',
      files: { a: 'x x\n' },
      input: { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true },
      leaves: { a: 'y y\n' },
    },
    {
      says: 'Edit of nothing makes a file',
      tool: 'Edit',
      input: { file_path: 'n', old_string: '', new_string: 'y' },
      leaves: { n: 'y' },
    },
    {
      says: 'Edit of nothing replaces none',
      tool: 'Edit',
      files,
      input: { file_path: 'b.md', old_string: '', new_string: 'y' },
      output: /^Error: b\.md exists/u,
      isError: true,
    },
    { says: 'Glob', tool: 'Glob', files, input: { pattern: '**/*.ts' }, output: 'src/a.ts\n' },
    { says: 'Grep: files', tool: 'Grep', files, input: { pattern: 'two', path: 'src' }, output: 'src/a.ts\n' },
    {
      says: 'Grep: content with context',
      tool: 'Grep',
      files,
      input: { pattern: 'two', output_mode: 'content', '-C': 1, type: 'ts' },
      output: 'src/a.ts-1-one\nsrc/a.ts:2:two\nsrc/a.ts-3-three\n',
    },
    { says: 'Grep: count', tool: 'Grep', files, input: { pattern: 'two', output_mode: 'count', '-i': true, glob: '*.md' }, output: 'b.md:2\n' },
    {
      says: 'Grep: head_limit and offset',
      tool: 'Grep',
      files,
      input: { pattern: '.', output_mode: 'content', path: 'src', head_limit: 1, offset: 1 },
      output: 'src/a.ts:2:two\n[1 more lines: raise head_limit or offset]\n',
    },
    { says: 'Grep: a glob and a type', tool: 'Grep', files, input: { pattern: 'two', glob: 'src/**', type: 'md' }, output: 'No matches found' },
    {
      says: 'Grep: no such type',
      tool: 'Grep',
      input: { pattern: 'x', type: 'cobol' },
      output: /^Error: type: "cobol" is not known/u,
      isError: true,
    },
    { says: 'Bash', tool: 'Bash', input: { command: 'echo hi', description: 'Say hi' }, output: 'hi\n' },
    {
      says: 'Bash: timeout',
      tool: 'Bash',
      input: { command: 'sleep 20', timeout: 200 },
      output: 'The command timed out and was ended.\n',
      isError: true,
    },
    { says: 'no such tool', tool: 'NotebookEdit', output: 'Error: No such tool available: NotebookEdit', isError: true },
  ]);

  it.runIf(canFetch())('WebFetch', async () => {
    await using site = await localSite();
    await using place = await temporaryHands({}, { policy: { allow: ['fetch(127.0.0.1)'] } });
    const page = await place.hands.dialect('claude-code').call('WebFetch', { url: `${site.base}/doc`, prompt: 'What is it about?' });
    expect(page).toMatchObject({ isError: false, output: expect.stringContaining('# Docs') as string });
  });
});
