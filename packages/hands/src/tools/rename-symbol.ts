import * as z from 'zod';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

/** Maximum number of changed lines in the data. The text names the files. */
const MAX_RENAMED = 1_000;

export const renameSymbol = defineTool({
  name: 'rename_symbol',
  title: 'Rename symbol',
  description: 'Rename a symbol in all files, or in none. The place is as in code.',
  effects: 'write',
  destructive: true,
  input: () => z.strictObject({ ...fields.place(), to: z.string().max(200) }),
  output: () =>
    z.strictObject({
      /** The changed lines. */
      places: z.array(z.strictObject({ path: z.string(), line: z.int(), text: z.string().optional() })),
      /** Where the old name stays. */
      untouched: z.array(z.strictObject({ path: z.string(), line: z.int(), as: z.enum(['code', 'string', 'comment']) })),
      total: z.int(),
      truncated: z.boolean(),
    }),
  aliases: {
    fields: { ...fields.placeAliases, old_name: 'symbol', new_name: 'to' },
    ignored: [...fields.remarks, ['action', 'rename'], 'character', 'column'],
  },
  otherNames: ['lsp_rename', 'rename_refactoring', 'refactor_rename'],
  permission: ({ path }) => [
    { action: 'read', resource: path },
    // The other files are known once the server was asked.
    { action: 'write', resource: path },
  ],
  foresee: async ({ to, ...wanted }, ctx) => {
    const { foreseeRename } = await import('../navigation/foresee-rename.ts');
    return await foreseeRename(wanted, to, ctx);
  },
  timeoutMs: 60_000,
  keep: 'head',
  summarize: ({ path, symbol, to }, { total }) => `rename_symbol(${symbol ?? path} → ${to}) → ${count(total, 'place')}`,
  async execute(_, { foreseen, workspace }) {
    const [{ RenamePlan }, { applyRename }, { formatNotes }] = await Promise.all([
      import('../navigation/rename-plan.ts'),
      import('../navigation/apply-rename.ts'),
      import('../navigation/format-found.ts'),
    ]);
    if (!(foreseen instanceof RenamePlan)) throw new TypeError('A rename was not looked up.');
    const { files, name, to, untouched, notes } = foreseen;
    const places = await applyRename(foreseen, workspace);
    const shown = places.slice(0, MAX_RENAMED);
    return {
      data: {
        places: shown.map(({ path, line, text }) => ({ path, line, text })),
        untouched: [...untouched],
        total: places.length,
        truncated: places.length > shown.length,
      },
      content: files.map(({ source, replacements }) => `M ${source.path} (${replacements.length})\n`).join(''),
      note: formatNotes([`${name} is now ${to}: ${count(places.length, 'place')} in ${count(files.length, 'file')}`, ...notes]),
    };
  },
});
