import * as z from 'zod';
import { SYMBOL_KINDS } from '../syntax/grammar.ts';
import { count } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

const ACTIONS = ['outline', 'find', 'definition', 'references', 'implementations', 'callers', 'hover'] as const;

const RENAMES = 'use rename_symbol, which renames in all files at once';

const inputSchema = () =>
  z.strictObject({
    action: z.enum(ACTIONS, { error: ({ input }) => (typeof input === 'string' && /rename/iu.test(input) ? RENAMES : undefined) }),
    ...fields.place(),
  });
type Input = z.output<ReturnType<typeof inputSchema>>;

const outputSchema = () =>
  z.strictObject({
    action: z.enum(ACTIONS),
    /** Who answered: a language server, or the syntax alone. */
    kind: z.enum(['server', 'syntax']),
    places: z.array(
      z.strictObject({
        path: z.string(),
        line: z.int(),
        end_line: z.int().optional(),
        /** The declaration at the place, or around it. */
        symbol: z.string().optional(),
        kind: z.enum(SYMBOL_KINDS).optional(),
        text: z.string().optional(),
      }),
    ),
    /** What is known about the symbol, such as its type. */
    about: z.string().optional(),
    total: z.int(),
    truncated: z.boolean(),
  });
type Data = z.input<ReturnType<typeof outputSchema>>;

interface Answer {
  readonly data: Data;
  readonly content: string;
  readonly note: string;
}

/** Loaded where it is used: the parser takes some 20 ms to start. */
async function outlined({ path, symbol, action }: Input, ctx: ToolContext): Promise<Answer> {
  const [{ outline }, { formatNotes }] = await Promise.all([import('../navigation/outline.ts'), import('../navigation/format-found.ts')]);
  const { symbols, text, notes, truncated } = await outline(path, symbol, ctx);
  return { data: { action, kind: 'syntax', places: [...symbols], total: symbols.length, truncated }, content: text, note: formatNotes(notes) };
}

async function asked({ action, path, symbol, line, text }: Input, ctx: ToolContext): Promise<Answer> {
  const wanted = { path, symbol, line, text };
  const { findSymbols, navigate } = await import('../navigation/navigate.ts');
  const { formatFound, formatNotes, shownPlaces } = await import('../navigation/format-found.ts');
  const found = action === 'find' || action === 'outline' ? await findSymbols(wanted, ctx) : await navigate(action, wanted, ctx);
  const { kind, total, about, notes } = found;
  const places = shownPlaces(found);
  const files = new Set(found.places.map(({ path }) => path)).size;
  const amount = about === undefined || total > 0 ? [`${count(total, 'place')} in ${count(files, 'file')}`] : [];
  const more = total > places.length ? [`${total - places.length} more not shown: give a more exact symbol, or use search_text`] : [];
  return {
    data: { action, kind, places: [...places], ...(about === undefined ? {} : { about }), total, truncated: more.length > 0 },
    content: formatFound(found),
    note: formatNotes([...amount, ...more, ...notes]),
  };
}

/** Other names for the actions. */
const OTHER_ACTIONS: Readonly<Record<string, (typeof ACTIONS)[number]>> = {
  symbols: 'outline',
  document_symbols: 'outline',
  documentsymbol: 'outline',
  overview: 'outline',
  workspace_symbols: 'find',
  workspacesymbol: 'find',
  search: 'find',
  find_symbol: 'find',
  go_to_definition: 'definition',
  gotodefinition: 'definition',
  find_references: 'references',
  findreferences: 'references',
  usages: 'references',
  implementation: 'implementations',
  gotoimplementation: 'implementations',
  incoming_calls: 'callers',
  incomingcalls: 'callers',
  type: 'hover',
};

export const codeTool = defineTool({
  name: 'code',
  title: 'Navigate code',
  description: 'Navigate code by symbols instead of text. A place is path + symbol, or path + line + text on it.',
  effects: 'read',
  input: inputSchema,
  output: outputSchema,
  aliases: {
    fields: {
      ...fields.placeAliases,
      operation: 'action',
      query: 'symbol',
      new_name: 'to',
    },
    ignored: [...fields.remarks, 'character', 'column', 'include_body', 'include_declaration'],
    advice: { to: RENAMES },
    meant: ({ action, ...rest }) => ({
      ...rest,
      action: typeof action === 'string' && Object.hasOwn(OTHER_ACTIONS, action.toLowerCase()) ? OTHER_ACTIONS[action.toLowerCase()] : action,
    }),
  },
  otherNames: [
    'get_symbols_overview',
    'document_symbols',
    'list_symbols',
    'outline',
    'list_code_definition_names',
    'file_outline',
    'find_symbol',
    'find_referencing_symbols',
    'find_references',
    'find_declaration',
    'find_implementations',
    'go_to_definition',
    'get_definition',
    'get_hover',
    'lsp',
    'lsp_definition',
    'lsp_references',
    'lsp_hover',
    'lsp_document_symbols',
    'lsp_workspace_symbols',
    'search_symbols',
    'workspace_symbols',
    'list_code_usages',
  ],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 60_000,
  keep: 'head',
  summarize: ({ action, path, symbol }, { total }) => `code(${action} ${symbol ?? path}) → ${count(total, 'place')}`,
  execute: async (input, ctx) => await (input.action === 'outline' ? outlined : asked)(input, ctx),
});
