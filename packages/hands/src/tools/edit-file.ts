import * as z from 'zod';
import { SynapseError } from '@synapse/protocol';
import { indexLines } from '../edit/lines.ts';
import { planEdits } from '../edit/plan-edits.ts';
import { spliceBytes } from '../edit/splice.ts';
import { assertEditableSize, readTextFile } from '../edit/text-file.ts';
import { TIERS } from '../edit/tiers.ts';
import { unifiedDiff } from '../edit/unified-diff.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool.ts';
import { contentVersion } from '../workspace/version.ts';
import { didYouMean } from './did-you-mean.ts';
import * as fields from './fields.ts';

/** Notes about what was not taken exactly that are shown: the model should know that the file is a little different. */
const MAX_NOTES = 5;

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit a file',
  description:
    'Replace parts of a text file. Each old_text must occur exactly once, or set replace_all. All edits are matched against the file as it is, and all apply or none.',
  effects: 'write',
  input: z.strictObject({
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
  }),
  output: z.strictObject({
    path: z.string(),
    version: z.string(),
    previous_version: z.string(),
    replacements: z.array(z.strictObject({ line: z.int(), tier: z.enum(TIERS), count: z.int() })),
    diff: z.string(),
  }),
  aliases: {
    fields: fields.pathAliases,
    items: { list: 'edits', fields: { old_string: 'old_text', new_string: 'new_text', replaceAll: 'replace_all' } },
  },
  otherNames: ['str_replace', 'str_replace_editor', 'str_replace_based_edit_tool', 'edit', 'replace', 'multi_edit'],
  permission: ({ path }) => [
    { action: 'read', resource: path },
    { action: 'write', resource: path },
  ],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ path, edits }) => `edit_file(${path}) → ${count(edits.length, 'edit')}`,
  async execute({ path, edits, version }, ctx) {
    const { workspace } = ctx;
    return await workspace.change([path], async (scope) => {
      // What is said of text that was not found shows what is there instead.
      const opened = scope.openReadable(path);
      if (opened === undefined) {
        const missing = new SynapseError('not_found', `File not found: ${path}`, {
          hint: 'Use find_files to locate it, or write_file to create it.',
        });
        throw await didYouMean(missing, path, ctx);
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
      const stale = version === undefined || version === file.version ? '' : ` It had changed since ${version}; the edited text had not.`;
      const notes = plan.notes.slice(0, MAX_NOTES).map((note) => ` ${note}`);
      return { data, content: diff, note: `${file.path} is now version ${data.version}.${notes.join('')}${stale}` };
    });
  },
});
