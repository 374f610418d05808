import * as z from 'zod';
import { SynapseError } from '@synapse/protocol';
import { indexLines } from '../edit/lines.ts';
import { planEdits } from '../edit/plan-edits.ts';
import { assertEditableSize, readTextFile, spliceBytes } from '../edit/text-file.ts';
import { TIERS } from '../edit/tiers.ts';
import { changedLines, newLines, unifiedDiff } from '../edit/unified-diff.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import { contentVersion } from '../workspace/open-file.ts';
import * as fields from './fields.ts';

/** Maximum number of notes about inexact matches. They tell the model that the file differs a little. */
const MAX_NOTES = 5;

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit a file',
  description:
    'Replace parts of a text file. Each old_text must occur exactly once, or set replace_all. All edits are matched against the file as it is, and all apply or none.',
  effects: 'write',
  destructive: true,
  input: () =>
    z.strictObject({
      path: fields.path,
      edits: z.array(
        z.strictObject({
          old_text: z.string().describe('Text as the file has it, with enough around it to be unique'),
          new_text: z.string(),
          replace_all: z.boolean().default(false),
        }),
      ),
      version: fields.version
        .optional()
        .describe('Version from read_file; if the file changed since, the edits apply only where the text is untouched'),
      then: fields.then,
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      version: z.string(),
      previous_version: z.string(),
      replacements: z.array(z.strictObject({ line: z.int(), tier: z.enum(TIERS), count: z.int() })),
      diff: z.string(),
      then: fields.followed(),
    }),
  aliases: {
    fields: { ...fields.pathAliases, changes: 'edits', replacements: 'edits' },
    items: {
      list: 'edits',
      fields: {
        old_string: 'old_text',
        new_string: 'new_text',
        replace_all_occurrences: 'replace_all',
        old_str: 'old_text',
        new_str: 'new_text',
        search: 'old_text',
        find: 'old_text',
        replace: 'new_text',
        replacement: 'new_text',
        old: 'old_text',
        new: 'new_text',
        old_content: 'old_text',
        new_content: 'new_text',
        original: 'old_text',
        updated: 'new_text',
      },
    },
    ignored: [...fields.remarks, 'instruction', 'instructions', 'command'],
    advice: {
      dry_run: 'there is none; leave it out, or read the file',
      expected_replacements: 'replace_all changes every place, without it there must be one',
      insert_line: 'give the line before it as old_text, and that line with the new text as new_text',
      start_line: 'give the text of those lines as old_text',
      diff: 'apply_patch takes a diff',
      patch: 'apply_patch takes a patch',
      content: 'give old_text and new_text; write_file replaces a whole file',
    },
  },
  otherNames: [
    'str_replace',
    'str_replace_editor',
    'str_replace_based_edit_tool',
    'edit',
    'replace',
    'multi_edit',
    'multiedit',
    'search_replace',
    'replace_in_file',
    'replace_string_in_file',
    'insert_edit_into_file',
    'edit_block',
    'update_file',
    'modify_file',
    'insert',
    'insert_text',
    'append',
    'append_file',
    'append_to_file',
    'notebook_edit',
  ],
  permission: ({ path }) => [
    { action: 'read', resource: path },
    { action: 'write', resource: path },
  ],
  follow: ({ then }) => (then === undefined ? undefined : fields.commandCall(then)),
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ path, edits }) => `edit_file(${path}) → ${count(edits.length, 'edit')}`,
  async execute({ path, edits, version }, ctx) {
    const { workspace } = ctx;
    return await workspace.change([path], async (scope) => {
      // The error for text that was not found shows the current text instead.
      const opened = scope.openReadable(path);
      if (opened === undefined) {
        const missing = new SynapseError('not_found', `File not found: ${path}`, {
          hint: 'Use find_files to locate it, or write_file to create it.',
        });
        throw missing;
      }
      const file = await readTextFile(opened);
      const lines = indexLines(file.text);
      const plan = planEdits({ ...file, lines }, edits, version);
      const length = plan.replacements.reduce((sum, { start, end, text }) => sum + text.length - (end - start), file.text.length);
      assertEditableSize(file.path, length, true);
      const bytes = spliceBytes(file.bytes, file.text, file.encoding, plan.replacements);
      assertEditableSize(file.path, bytes.length, true);
      scope.write(path, bytes);
      const diff = unifiedDiff(file.text, lines, plan.replacements);
      const data = { path: file.path, version: contentVersion(bytes), previous_version: file.version, replacements: [...plan.edits], diff };
      const stale = version === undefined || version === file.version ? [] : [`It had changed since ${version}; the edited text had not.`];
      const notes = plan.notes.slice(0, MAX_NOTES);
      // The model knows what it gave: only what was understood otherwise is shown to it.
      const isExact = plan.notes.length === 0 && plan.edits.every(({ tier }) => tier === 'exact');
      const places = plan.edits.reduce((sum, edit) => sum + edit.count, 0);
      const asGiven = isExact && places === plan.edits.length;
      const changed = isExact && !asGiven ? newLines(file.text, lines, plan.replacements) : undefined;
      const what = asGiven ? changedLines(file.text, lines, plan.replacements) : changed === undefined ? '' : `${count(places, 'place')} changed`;
      // The call names the file, unless a link leads to another one.
      const named = file.path === path ? '' : `${file.path}: `;
      const more = [...notes, ...stale].map((sentence) => ` ${sentence}`).join('');
      const note = `${named}${what === '' ? 'now' : `${what},`} version ${data.version}${more === '' ? '' : `.${more}`}`;
      return { data, content: asGiven ? '' : (changed ?? diff), note };
    });
  },
});
