import * as z from 'zod';
import { SYMBOL_KINDS } from '../syntax/grammar.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

const ACTIONS = ['outline'] as const;

/** Other names for the actions. */
const OTHER_ACTIONS: Readonly<Record<string, string>> = {
  symbols: 'outline',
  document_symbols: 'outline',
  overview: 'outline',
};

export const codeTool = defineTool({
  name: 'code',
  title: 'Navigate code',
  description: 'Symbols of code instead of text. outline: the symbols of a file or folder, with their lines.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      action: z.enum(ACTIONS),
      path: z.string().default('.').describe('File or folder'),
      symbol: z.string().min(1).max(500).optional().describe('Name, or Class.method'),
    }),
  output: () =>
    z.strictObject({
      action: z.string(),
      kind: z.enum(['server', 'syntax']),
      symbols: z.array(
        z.strictObject({ file: z.string(), name: z.string(), kind: z.enum(SYMBOL_KINDS), line: z.int(), end_line: z.int(), depth: z.int() }),
      ),
      truncated: z.boolean(),
    }),
  aliases: {
    fields: { ...fields.folderAliases, operation: 'action', name: 'symbol', symbol_name: 'symbol', name_path: 'symbol', query: 'symbol' },
    ignored: [...fields.remarks],
    meant: ({ action, ...rest }) => ({
      ...rest,
      action: typeof action === 'string' && Object.hasOwn(OTHER_ACTIONS, action) ? OTHER_ACTIONS[action] : action,
    }),
  },
  otherNames: ['get_symbols_overview', 'document_symbols', 'list_symbols', 'outline', 'list_code_definition_names', 'file_outline'],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ action, path }, { symbols }) => `code(${action} ${path}) → ${count(symbols.length, 'symbol')}`,
  async execute({ action, path, symbol }, ctx) {
    // Loaded where it is used: the parser takes some 20 ms to start.
    const { outline } = await import('../navigation/outline.ts');
    const { symbols, text, notes, truncated } = await outline(path, symbol, ctx);
    return { data: { action, kind: 'syntax' as const, symbols: [...symbols], truncated }, content: text, note: `${notes.join('; ')}.` };
  },
});
