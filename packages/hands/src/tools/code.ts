import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { SYMBOL_KINDS } from '../syntax/grammar.ts';
import { count } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool, type Foreseen } from '../tool/tool.ts';
import type { NewTextOf } from '../navigation/apply-edits.ts';
import type { Found, FoundPlace } from '../navigation/navigation-use.ts';
import type { ServerAction } from '../navigation/ask-server.ts';
import * as fields from './fields.ts';

const ACTIONS = ['outline', 'find', 'definition', 'references', 'implementations', 'callers', 'hover', 'rename', 'match', 'replace'] as const;

const inputSchema = () =>
  z.strictObject({
    action: z.enum(ACTIONS),
    path: z.string().default('.').describe('File or folder'),
    symbol: z.string().max(500).optional().describe('Name, or Class.method'),
    line: z.int().min(1).optional(),
    text: z.string().max(2_000).optional().describe('Of match, replace: code with $X, $$$X'),
    to: z.string().max(2_000).optional().describe('New name or code'),
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
    untouched: z.array(z.strictObject({ path: z.string(), line: z.int(), as: z.enum(['code', 'string', 'comment', 'name', 'text']) })).optional(),
    total: z.int(),
    truncated: z.boolean(),
  });
type Data = z.input<ReturnType<typeof outputSchema>>;

/** Maximum number of changed lines in the data of a change. The text names the files. */
const MAX_CHANGED = 1_000;

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

async function asked(action: ServerAction | 'find', { path, symbol, line, text }: Input, ctx: ToolContext): Promise<Answer> {
  const wanted = { path, symbol, line, text };
  const { findSymbols, navigate } = await import('../navigation/navigate.ts');
  return await answered(action, action === 'find' ? await findSymbols(wanted, ctx) : await navigate(action, wanted, ctx));
}

async function answered(action: Input['action'], found: Found): Promise<Answer> {
  const { formatFound, shownPlaces } = await import('../navigation/format-found.ts');
  const { kind, total, about, notes } = found;
  const places = shownPlaces(found);
  const files = new Set(found.places.map(({ path }) => path)).size;
  const amount = about === undefined || total > 0 ? [total === 0 ? 'nothing found' : `${count(total, 'place')} in ${count(files, 'file')}`] : [];
  const more =
    total > places.length ? [`${total - places.length} more not shown: ${MORE[action] ?? 'give a more exact symbol, or use search_text'}`] : [];
  return {
    data: { action, kind, places: [...places], ...(about === undefined ? {} : { about }), total, truncated: more.length > 0 },
    content: formatFound(found),
    note: note([...amount, ...more, ...notes]),
  };
}

/** How to see the rest of an answer. */
const MORE: Partial<Record<Input['action'], string>> = { match: 'narrow the path or the pattern' };

async function matched({ path, text: pattern = '' }: Input, ctx: ToolContext): Promise<Answer> {
  const { findStructures, placesOf } = await import('../navigation/find-structures.ts');
  const { files, notes } = await findStructures({ path, pattern, replacement: undefined }, ctx);
  const places = placesOf(files);
  return await answered('match', { kind: 'syntax', places, total: places.length, notes });
}

/** A replacement was looked up before it was judged. */
async function replaced({ action }: Input, { foreseen, workspace }: ToolContext): Promise<Answer> {
  const [{ ReplacePlan }, { applyEdits }] = await Promise.all([import('../navigation/foresee-replace.ts'), import('../navigation/apply-edits.ts')]);
  if (!(foreseen instanceof ReplacePlan)) throw new TypeError('A replacement was not looked up.');
  const { files, notes } = foreseen;
  return changed(action, 'syntax', files, await applyEdits(files, 'its code was to be replaced', workspace), ['replaced', ...notes]);
}

function changed(
  action: Input['action'],
  kind: Data['kind'],
  files: readonly NewTextOf[],
  places: readonly FoundPlace[],
  [what = '', ...notes]: readonly string[],
): Answer {
  const shown = places.slice(0, MAX_CHANGED);
  return {
    data: { action, kind, places: shown, total: places.length, truncated: places.length > shown.length },
    content: files.map(({ source, replacements }) => `M ${source.path} (${replacements.length})\n`).join(''),
    note: note([`${what}: ${count(places.length, 'place')} in ${count(files.length, 'file')}`, ...notes]),
  };
}

/** A rename was looked up before it was judged. */
async function renamed({ action }: Input, { foreseen, workspace }: ToolContext): Promise<Answer> {
  const [{ RenamePlan }, { applyEdits }] = await Promise.all([import('../navigation/rename-plan.ts'), import('../navigation/apply-edits.ts')]);
  if (!(foreseen instanceof RenamePlan)) throw new TypeError('A rename was not looked up.');
  const { files, name, to, untouched, notes } = foreseen;
  const places = await applyEdits(files, `${name} was to be renamed to ${to}`, workspace);
  const answer = changed(action, 'server', files, places, [`${name} is now ${to}`, ...notes]);
  return { ...answer, data: { ...answer.data, untouched: [...untouched] } };
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
  structural_search: 'match',
  ast_grep: 'match',
  rewrite: 'replace',
};

const EXECUTE: Record<Input['action'], (input: Input, ctx: ToolContext) => Promise<Answer>> = {
  outline: outlined,
  find: (input, ctx) => asked('find', input, ctx),
  definition: (input, ctx) => asked('definition', input, ctx),
  references: (input, ctx) => asked('references', input, ctx),
  implementations: (input, ctx) => asked('implementations', input, ctx),
  callers: (input, ctx) => asked('callers', input, ctx),
  hover: (input, ctx) => asked('hover', input, ctx),
  rename: renamed,
  match: matched,
  replace: replaced,
};

/** Actions that are about code as it is written. */
const FINDS_TEXT: ReadonlySet<Input['action']> = new Set(['match', 'replace']);

/** What actions need, besides a path, with how to say it. */
const NEEDED: Partial<Record<Input['action'], Partial<Record<'text' | 'to', string>>>> = {
  rename: { to: 'Give the new name.' },
  match: { text: 'Give the code to find, with $X for a part of it.' },
  replace: { text: 'Give the code to find, with $X for a part of it.', to: 'Give the new code, with the same parts.' },
};

function assertWhole(input: Input): void {
  for (const [field, hint] of Object.entries(NEEDED[input.action] ?? {}))
    if (!Object.hasOwn(input, field) || (field === 'text' && input.text?.trim() === ''))
      throw new SynapseError('invalid_arguments', `code: ${field} is missing for action "${input.action}".`, { hint });
}

/** Actions that change files, which are looked up before they are judged. */
const FORESEE: Partial<Record<Input['action'], (input: Input, ctx: ToolContext) => Promise<Foreseen>>> = {
  rename: async ({ to = '', ...wanted }, ctx) => await (await import('../navigation/foresee-rename.ts')).foreseeRename(wanted, to, ctx),
  replace: async ({ path, text = '', to = '' }, ctx) =>
    await (await import('../navigation/foresee-replace.ts')).foreseeReplace({ path, pattern: text, replacement: to }, ctx),
};

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
      pattern: 'text',
      rewrite: 'to',
      replacement: 'to',
    },
    ignored: [...fields.remarks, 'character', 'column', 'include_body', 'include_declaration'],
    meant: ({ action, ...rest }) => ({
      ...rest,
      action: typeof action === 'string' && Object.hasOwn(OTHER_ACTIONS, action.toLowerCase()) ? OTHER_ACTIONS[action.toLowerCase()] : action,
    }),
  },
  otherNames: [
    // Models take an action for a tool. Other tools find and replace text.
    ...ACTIONS.filter((action) => action !== 'find' && action !== 'replace'),
    'get_symbols_overview',
    'document_symbols',
    'list_symbols',
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
    'call_hierarchy',
    'repo_map',
    'ast_grep',
    'structural_search',
  ],
  permission: ({ action, path }) => [
    { action: 'read', resource: path },
    // The other files are known once the server was asked.
    ...(Object.hasOwn(FORESEE, action) ? [{ action: 'write' as const, resource: path }] : []),
  ],
  foresee(input, ctx) {
    const foresee = FORESEE[input.action];
    if (foresee === undefined) return undefined;
    assertWhole(input);
    return foresee(input, ctx);
  },
  timeoutMs: 60_000,
  keep: 'head',
  summarize: ({ action, path, symbol, text }, { total }) =>
    `code(${action} ${symbol ?? (FINDS_TEXT.has(action) ? JSON.stringify(text?.slice(0, 40)) : path)}) → ${count(total, 'place')}`,
  async execute(input, ctx) {
    assertWhole(input);
    return await EXECUTE[input.action](input, ctx);
  },
});
