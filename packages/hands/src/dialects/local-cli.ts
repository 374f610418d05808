import type { ErrorCode } from '@synapse/protocol';
import * as z from 'zod';
import { createDirectory } from '../tools/create-directory.ts';
import { deleteDirectory } from '../tools/delete-directory.ts';
import { deleteFile } from '../tools/delete-file.ts';
import { findFiles } from '../tools/find-files.ts';
import { listDirectory } from '../tools/list-directory.ts';
import { readFile } from '../tools/read-file.ts';
import { searchText } from '../tools/search-text.ts';
import { writeFile } from '../tools/write-file.ts';
import { defineDialectTool, type Dialect } from './dialect.ts';
import { attempt, json, reason, WHOLE } from './steps.ts';

const path = z.string().describe('Path relative to the base folder');
const recursive = z.boolean().default(true).describe('Also in the folders below');

const FORBIDDEN: ReadonlySet<ErrorCode> = new Set(['outside_workspace', 'approval_required', 'denied']);

/** Glob for the base folder only: one that starts with a slash does not search subfolders. */
const TOP_LEVEL = '/*';

const tools = [
  defineDialectTool({
    name: 'create_directory',
    description: 'Create a folder.',
    input: () => z.object({ path }),
    uses: ['create_directory'],
    permission: 'auto',
    *run(input) {
      const { ok } = yield* attempt(createDirectory, { path: input.path });
      return json({ success: ok }, !ok);
    },
  }),
  defineDialectTool({
    name: 'write_file',
    description: 'Write a file, replacing what it held.',
    input: () => z.object({ path, content: z.string() }),
    uses: ['write_file'],
    permission: 'auto',
    *run(input) {
      const { ok } = yield* attempt(writeFile, { path: input.path, content: input.content });
      return json({ success: ok }, !ok);
    },
  }),
  defineDialectTool({
    name: 'read_file',
    description: 'Read a file. The content is empty where there is none, or where it cannot be read.',
    input: () => z.object({ path }),
    uses: ['read_file'],
    permission: 'auto',
    *run(input) {
      const file = yield* attempt(readFile, { path: input.path }, WHOLE);
      // A missing file gives an empty answer; a path that must not be read is still an error.
      if (!file.ok) return json({ content: '' }, FORBIDDEN.has(file.error.code));
      return json({ content: file.data.kind === 'image' ? '' : file.data.content });
    },
  }),
  defineDialectTool({
    name: 'delete_file',
    description: 'Delete a file.',
    input: () => z.object({ path }),
    uses: ['delete_file'],
    permission: 'auto',
    *run(input) {
      const { ok } = yield* attempt(deleteFile, { path: input.path });
      return json({ success: ok }, !ok);
    },
  }),
  defineDialectTool({
    name: 'delete_directory',
    description: 'Delete a folder with everything in it.',
    input: () => z.object({ path }),
    uses: ['delete_directory'],
    permission: 'auto',
    *run(input) {
      const { ok } = yield* attempt(deleteDirectory, { path: input.path, recursive: true });
      return json({ success: ok }, !ok);
    },
  }),
  defineDialectTool({
    name: 'list_directory',
    description: 'List a folder. Hidden names are left out.',
    input: () => z.object({ path }),
    uses: ['list_directory'],
    permission: 'auto',
    *run(input) {
      const listed = yield* attempt(listDirectory, { path: input.path === '' ? '.' : input.path });
      if (!listed.ok) return json({ entries: [] }, true);
      const entries = listed.data.entries.map(({ name, type }) => ({ name, type }));
      return json(listed.data.truncated ? { entries, truncated: true } : { entries });
    },
  }),
  defineDialectTool({
    name: 'search_codebase',
    description: 'Find the lines of files that hold a text.',
    input: () => z.object({ query: z.string(), recursive }),
    uses: ['search_text'],
    permission: 'auto',
    *run(input) {
      const place = input.recursive ? {} : { glob: TOP_LEVEL };
      const found = yield* attempt(searchText, { pattern: input.query, literal: true, ignore: false, limit: 2_000, ...place });
      if (!found.ok) return json({ results: [] }, true);
      const results = found.data.matches.map((match) => ({ file: match.path, line_number: match.line, line_content: match.text }));
      return json(found.data.truncated === undefined ? { results } : { results, truncated: true });
    },
  }),
  defineDialectTool({
    name: 'find_files',
    description: 'Find files by pattern, such as *.ts.',
    input: () => z.object({ pattern: z.string(), recursive }),
    uses: ['find_files'],
    permission: 'auto',
    *run(input) {
      // Not recursive: the slashes of the pattern set its depth.
      const glob = input.recursive ? input.pattern : `/${input.pattern.replace(/^\//u, '').replaceAll(/\*{2,}/gu, '*')}`;
      const found = yield* attempt(findFiles, { glob, ignore: false, limit: 1_000 });
      if (!found.ok) return json({ files: [] }, true);
      const files = found.data.files.map((file) => file.path);
      return json(found.data.truncated === undefined ? { files } : { files, truncated: true });
    },
  }),
];

export const localCli: Dialect = {
  name: 'local-cli',
  title: 'LocalCliTool',
  version: 'the names, shapes and strings of its contract',
  notCovered: ['The shapes have no room for why a call failed: the canonical result beside them tells'],
  tools,
  unknownTool: (name) => json({ error: `Unknown tool: ${name}` }, true),
  invalidInput: (error) => json({ error: reason(error) }, true),
  failure: (error) => json({ error: reason(error) }, true),
};
