import * as z from 'zod';
import * as fields from './fields.ts';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { wordedElision } from '../edit/elisions.ts';
import { readReplaced, replacedNotes } from '../edit/replaced-text.ts';
import { countLines } from '../read/read-text.ts';
import { count, size } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { ChangeScope } from '../workspace/changes/change.ts';
import { contentVersion, fileVersion, type OpenFile } from '../workspace/open-file.ts';

/** Maximum size, in bytes, of a file that is compared with the text that replaces it. */
const MAX_COMPARED_BYTES = 2 * 1024 * 1024;

/** Modes that new files get anyway, as models write them. */
const USUAL_MODES = ['0644', '644', '0o644', 420, '0666', '666'];
const PERMISSIONS = 'a new file is not executable, and an existing one keeps its permissions; to change them, use run_command with chmod';

function openTarget(scope: ChangeScope, given: string, path: string): OpenFile | undefined {
  try {
    return scope.open(given);
  } catch (error) {
    if (!isSynapseError(error) || error.code !== 'wrong_type') throw error;
    throw new SynapseError('wrong_type', error.message, { hint: `Name a file in it, such as ${path}/name.txt.`, cause: error });
  }
}

export const writeFile = defineTool({
  name: 'write_file',
  title: 'Write a file',
  description: 'Create a file or replace all of it; parent folders are created. To change a part of a file use edit_file.',
  effects: 'write',
  destructive: true,
  idempotent: true,
  input: () =>
    z.strictObject({
      path: fields.path.refine((path) => !/[/\\]$/u.test(path), 'names a folder; name a file in it'),
      content: z.string('must be text; JSON is sent as a string').describe('The whole new text'),
      version: fields.version.optional(),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      created: z.boolean(),
      /** Bytes written. */
      size: z.int(),
      version: z.string(),
      previous_version: z.string().nullable(),
    }),
  aliases: {
    fields: {
      ...fields.pathAliases,
      contents: 'content',
      text: 'content',
      file_text: 'content',
      file_content: 'content',
      body: 'content',
      data: 'content',
      new_content: 'content',
    },
    ignored: [
      ...fields.remarks,
      ['create_directories', true],
      ['create_parents', true],
      ['create_dirs', true],
      ['make_dirs', true],
      ['parents', true],
      ['overwrite', true],
      ['create', true],
      ['append', false],
      ['encoding', 'utf-8', 'utf8', 'ascii'],
      ['mode', 'overwrite', 'rewrite', 'replace', 'create', 'write', 'w', 'text', ...USUAL_MODES],
      ['permissions', ...USUAL_MODES],
      ['executable', false],
    ],
    advice: {
      overwrite: 'write_file replaces what is there',
      create: 'write_file replaces what is there',
      append: 'edit_file adds to a file',
      encoding: 'text is written as UTF-8; for bytes use run_command with base64 -d',
      mode: (mode) => (/^(?:0o?)?[0-7]{3,4}$/u.test(String(mode)) ? PERMISSIONS : 'the whole file is written; edit_file adds to one'),
      permissions: PERMISSIONS,
      executable: PERMISSIONS,
      chmod: PERMISSIONS,
    },
  },
  otherNames: ['write', 'create', 'create_file', 'new_file', 'save_file', 'touch', 'write_to_file', 'overwrite_file'],
  permission: ({ path }) => [{ action: 'write', resource: path }],
  timeoutMs: 10_000,
  keep: 'head',
  summarize: ({ path }, { size: bytes }) => `write_file(${path}) → ${size(bytes)}`,
  async execute({ path: given, content, version: expected }, { workspace }) {
    const path = workspace.display(given);
    const bytes = Buffer.from(content, 'utf8');
    const version = contentVersion(bytes);
    const previous = await workspace.change([given], async (scope) => {
      const file = openTarget(scope, given, path);
      const current = file === undefined ? null : await fileVersion(file);
      if (expected !== undefined && expected !== current) throw stale(path, expected, current);
      const notes = file === undefined ? [] : await checkReplaced(file, path, content);
      scope.write(given, bytes);
      return { version: current, notes };
    });
    const done = previous.version === null ? 'created' : 'replaced';
    return {
      data: { path, created: previous.version === null, size: bytes.byteLength, version, previous_version: previous.version },
      content: `${path} ${done}: ${count(countLines(bytes), 'line')}, ${size(bytes.byteLength)}, version ${version}.${previous.notes.map((note) => ` ${note}`).join('')}`,
    };
  },
});

/** Compares a file with the text that is to replace it. Throws for a text that is not whole. */
async function checkReplaced(file: OpenFile, path: string, content: string): Promise<string[]> {
  if (file.size > MAX_COMPARED_BYTES) return [];
  const replaced = await readReplaced(await file.read(0, file.size));
  if (replaced === undefined) return [];
  const elided = wordedElision(replaced.text, content);
  if (elided !== undefined) {
    throw new SynapseError('invalid_arguments', `content: has the line ${JSON.stringify(elided)} for text that is left out; nothing was written.`, {
      hint: `write_file replaces all of ${path}: give its whole text, or change a part of it with edit_file.`,
    });
  }
  return replacedNotes(replaced, content);
}

function stale(path: string, expected: string, current: string | null): SynapseError {
  return new SynapseError(
    'conflict',
    `${path} ${current === null ? 'does not exist' : `is at version ${current}`}, not ${expected}; nothing was written.`,
    {
      hint: current === null ? 'Leave version out to create it.' : 'Read it again, then repeat the change on what is there now.',
      details: { version: current },
    },
  );
}
