import { symlinkSync } from 'node:fs';
import { describe } from 'vitest';
import { checkContract } from '../testing/contract.ts';

describe('contract 5: local-cli', () => {
  checkContract('local-cli', [
    {
      says: '`{success}`',
      tool: 'create_directory',
      input: { path: 'a/b' },
      value: { success: true },
      leaves: { 'a/b': true },
    },
    {
      says: '`{success}`',
      tool: 'write_file',
      input: { path: 'a/b', content: 'x' },
      value: { success: true },
      leaves: { 'a/b': 'x' },
    },
    { says: 'cannot leave it', tool: 'write_file', input: { path: '../outside/x', content: '' }, value: { success: false }, isError: true },
    {
      says: '`{content}`',
      tool: 'read_file',
      files: { a: 'text\n' },
      input: { path: 'a' },
      value: { content: 'text\n' },
      output: '{"content":"text\\n"}',
    },
    { says: 'empty when missing', tool: 'read_file', input: { path: 'none' }, value: { content: '' }, output: '{"content":""}' },
    { says: 'or unreadable', tool: 'read_file', files: { a: Buffer.from([0, 1, 2]) }, input: { path: 'a' }, value: { content: '' } },
    { says: 'a folder cannot be read', tool: 'read_file', files: { 'd/a': '' }, input: { path: 'd' }, value: { content: '' } },
    { says: 'cannot leave it', tool: 'read_file', input: { path: '/etc/hostname' }, value: { content: '' }, isError: true },
    {
      says: '`{success}`',
      tool: 'delete_file',
      files: { a: '' },
      input: { path: 'a' },
      value: { success: true },
      leaves: { a: false },
    },
    { says: '`{success}`, false for a missing file', tool: 'delete_file', input: { path: 'a' }, value: { success: false }, isError: true },
    {
      says: '`{success}`',
      tool: 'delete_directory',
      files: { 'd/e/a': '' },
      input: { path: 'd' },
      value: { success: true },
      leaves: { d: false },
    },
    {
      says: 'the base folder itself stays',
      tool: 'delete_directory',
      files: { a: '' },
      input: { path: '.' },
      value: { success: false },
      isError: true,
      leaves: { a: true },
    },
    {
      says: '`{entries: [{name, type}]}`; hidden names (leading `.`) left out',
      tool: 'list_directory',
      files: { a: '', 'd/x': '', '.hidden': '' },
      prepare: ({ at }) => symlinkSync('a', at('link')),
      input: { path: '.' },
      value: {
        entries: [
          { name: 'd', type: 'directory' },
          { name: 'a', type: 'file' },
          { name: 'link', type: 'link' },
        ],
      },
    },
    {
      says: '`{results: [{file, line_number, line_content}]}`',
      tool: 'search_codebase',
      files: { 'd/a.ts': 'no\nfind (me\n' },
      input: { query: 'find (me' },
      value: { results: [{ file: 'd/a.ts', line_number: 2, line_content: 'find (me' }] },
    },
    {
      says: '`recursive?` (default true)',
      tool: 'search_codebase',
      files: { 'd/a': 'x', b: 'x' },
      input: { query: 'x', recursive: false },
      value: { results: [{ file: 'b', line_number: 1, line_content: 'x' }] },
    },
    { says: '`{files: [...]}`', tool: 'find_files', files: { 'd/a.ts': '', 'b.js': '' }, input: { pattern: '*.ts' }, value: { files: ['d/a.ts'] } },
    {
      says: '`recursive?` (default true)',
      tool: 'find_files',
      files: { 'd/a.ts': '', 'b.ts': '' },
      input: { pattern: '*.ts', recursive: false },
      value: { files: ['b.ts'] },
    },
    {
      says: '`recursive?` false with a pattern for folders',
      tool: 'find_files',
      files: { 'a.ts': '', 'd/b.ts': '', 'd/e/c.ts': '' },
      input: { pattern: '**/*.ts', recursive: false },
      value: { files: ['d/b.ts'] },
    },
    { says: 'nothing is found', tool: 'find_files', input: { pattern: '*.ts' }, value: { files: [] } },
    {
      says: 'paths are relative to the base folder, normalised',
      tool: 'read_file',
      files: { 'd/a': 'x' },
      input: { path: './d/../d//a' },
      value: { content: 'x' },
    },
  ]);
});
