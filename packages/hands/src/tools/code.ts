import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { SYMBOL_KINDS } from '../syntax/grammar.ts';
import { count } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

const ACTIONS = ['outline', 'find', 'definition', 'references', 'implementations', 'callers', 'hover', 'rename'] as const;

const inputSchema = () =>
  z.strictObject({
    action: z.enum(ACTIONS),
    path: z.string().default('.').describe('File or folder'),
    symbol: z.string().max(500).optional().describe('Name, or Class.method'),
    line: z.int().min(1).optional(),
    text: z.string().max(500).optional(),
    to: z.string().max(200).optional().describe('New name'),
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
    /** Of a rename: where the old name stays. */
    untouched: z.array(z.strictObject({ path: z.string(), line: z.int(), as: z.enum(['code', 'string', 'comment']) })).optional(),
    total: z.int(),
    truncated: z.boolean(),
  });
type Data = z.input<ReturnType<typeof outputSchema>>;

/** Maximum number of changed lines in the data of a rename. The text names the files. */
const MAX_RENAMED = 1_000;

interface Answer {
  readonly data: Data;
  readonly content: string;
  readonly note: string;
}

const note = (notes: readonly string[]): string =>
  notes
    .map((one) => one.replace(/\.$/u, ''))
    .join('; ')
    .concat('.');

/** Loaded where it is used: the parser takes some 20 ms to start. */
async function outlined({ path, symbol, action }: Input, ctx: ToolContext): Promise<Answer> {
  const { outline } = await import('../navigation/outline.ts');
  const { symbols, text, notes, truncated } = await outline(path, symbol, ctx);
  return { data: { action, kind: 'syntax', places: [...symbols], total: symbols.length, truncated }, content: text, note: note(notes) };
}

async function asked({ action, path, symbol, line, text }: Input, ctx: ToolContext): Promise<Answer> {
  const wanted = { path, symbol, line, text };
  const { findSymbols, navigate } = await import('../navigation/navigate.ts');
  const { formatFound, shownPlaces } = await import('../navigation/format-found.ts');
  const found =
    action === 'find' || action === 'outline' || action === 'rename' ? await findSymbols(wanted, ctx) : await navigate(action, wanted, ctx);
  const { kind, total, about, notes } = found;
  const places = shownPlaces(found);
  const files = new Set(found.places.map(({ path }) => path)).size;
  const amount = about === undefined || total > 0 ? [`${count(total, 'place')} in ${count(files, 'file')}`] : [];
  const more = total > places.length ? [`${total - places.length} more not shown: give a more exact symbol, or use search_text`] : [];
  return {
    data: { action, kind, places: [...places], ...(about === undefined ? {} : { about }), total, truncated: more.length > 0 },
    content: formatFound(found),
    note: note([...amount, ...more, ...notes]),
  };
}

/** A rename was looked up before it was judged. */
async function renamed({ action }: Input, { foreseen, workspace }: ToolContext): Promise<Answer> {
  const [{ RenamePlan }, { applyRename }] = await Promise.all([import('../navigation/rename-plan.ts'), import('../navigation/apply-rename.ts')]);
  if (!(foreseen instanceof RenamePlan)) throw new TypeError('A rename was not looked up.');
  const { files, name, to, untouched, notes } = foreseen;
  const places = await applyRename(foreseen, workspace);
  const shown = places.slice(0, MAX_RENAMED);
  return {
    data: { action, kind: 'server', places: shown, untouched: [...untouched], total: places.length, truncated: places.length > shown.length },
    content: files.map(({ source, replacements }) => `M ${source.path} (${replacements.length})\n`).join(''),
    note: note([`${name} is now ${to}: ${count(places.length, 'place')} in ${count(files.length, 'file')}`, ...notes]),
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
  rename_symbol: 'rename',
};

/** Actions that are no question about a place. */
const EXECUTE: Partial<Record<Input['action'], (input: Input, ctx: ToolContext) => Promise<Answer>>> = { outline: outlined, rename: renamed };

export const codeTool = defineTool({
  name: 'code',
  title: 'Navigate code',
  description: 'Navigate code by symbols instead of text. A place is path + symbol, or path + line + text on it. rename changes all files or none.',
  effects: 'write',
  destructive: true,
  input: inputSchema,
  output: outputSchema,
  aliases: {
    fields: {
      ...fields.folderAliases,
      operation: 'action',
      name: 'symbol',
      symbol_name: 'symbol',
      name_path: 'symbol',
      name_path_pattern: 'symbol',
      query: 'symbol',
      line_number: 'line',
      start_line: 'line',
      new_name: 'to',
      newname: 'to',
    },
    ignored: [...fields.remarks, 'character', 'column', 'include_body', 'include_declaration'],
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
    'lsp_rename',
    'rename_symbol',
    'lsp_document_symbols',
    'lsp_workspace_symbols',
    'search_symbols',
    'workspace_symbols',
    'list_code_usages',
  ],
  permission: ({ action, path }) => [
    { action: 'read', resource: path },
    // The other files are known once the server was asked.
    ...(action === 'rename' ? [{ action: 'write' as const, resource: path }] : []),
  ],
  foresee(input, ctx) {
    if (input.action !== 'rename') return undefined;
    const { to, ...wanted } = input;
    if (to === undefined) throw new SynapseError('invalid_arguments', 'code: to is missing for action "rename".', { hint: 'Give the new name.' });
    return import('../navigation/foresee-rename.ts').then(({ foreseeRename }) => foreseeRename(wanted, to, ctx));
  },
  timeoutMs: 60_000,
  keep: 'head',
  summarize: ({ action, path, symbol }, { total }) => `code(${action} ${symbol ?? path}) → ${count(total, 'place')}`,
  execute: async (input, ctx) => await (EXECUTE[input.action] ?? asked)(input, ctx),
});
