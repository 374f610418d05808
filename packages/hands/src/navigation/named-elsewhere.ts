import type { ServerRow } from '../lsp/server-table.ts';
import { count } from '../text/amounts.ts';
import { named } from './check-rename.ts';
import { escaped } from './mentions.ts';
import type { NavigationUse } from './navigation-use.ts';
import type { Untouched } from './rename-plan.ts';

/** Maximum number of places of one kind. */
const MAX_PLACES = 200;

/** Names beside those that a server looks at, which a rename leaves. */
export interface NamedElsewhere {
  readonly untouched: readonly Untouched[];
  readonly notes: readonly string[];
}

type Use = Pick<NavigationUse, 'search' | 'workspace' | 'signal'>;

async function linesWith(pattern: string, globs: readonly string[], perFile: number | undefined, { search, workspace, signal }: Use) {
  const request = {
    pattern,
    globs,
    perFile,
    path: '.',
    literal: false,
    case: 'sensitive',
    hidden: false,
    ignore: true,
    context: 0,
    limit: MAX_PLACES,
  } as const;
  return (await search.text(request, workspace, signal)).matches;
}

/** The name in a line that declares it. */
const DECLARED = /\b(?:func|def|class)\s+([\p{L}\p{N}_]+)/u;

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Tests and examples that are named after what they are about. A tool of the language may refuse one whose name means nothing any more. */
async function namedAfter(name: string, owner: string | undefined, { namedAfter: rule }: ServerRow, use: Use): Promise<NamedElsewhere> {
  if (rule === undefined) return { untouched: [], notes: [] };
  const names = [...new Set([name, capital(name)])].map(escaped).join('|');
  const found = await linesWith(rule.declares(`(?:${names})`, owner === undefined ? undefined : escaped(owner)), [rule.glob], undefined, use);
  const places = found.map(({ path, line, text }) => `${DECLARED.exec(text)?.[1] ?? 'a declaration'} at ${path}:${line}`);
  return {
    untouched: found.map(({ path, line }) => ({ path, line, as: 'name' })),
    notes: places.length === 0 ? [] : [`named after it and not touched: ${named(places)}`],
  };
}

/** What is beside a name where it is meant as code: in prose it may be any word. */
const BEFORE = '[.:#`"\'<@{$]';
const AFTER = '[(`}]';

/** Files of other kinds, such as documentation, settings, and components that only another server reads. */
async function otherFiles(name: string, { languages }: ServerRow, use: Use): Promise<NamedElsewhere> {
  const word = escaped(name);
  const pattern = String.raw`${BEFORE}\s?${word}(?:[^\w$]|$)|(?:^|[^\w$])${word}${AFTER}|\{[^}]*[ ,]${word}(?:[^\w$]|$)`;
  const found = await linesWith(pattern, [`!**/*.{${Object.keys(languages).join(',')}}`], 1, use);
  return {
    untouched: found.map(({ path, line }) => ({ path, line, as: 'text' })),
    notes:
      found.length === 0
        ? []
        : [`not touched in ${count(found.length, 'file')} that the server does not read: ${named(found.map(({ path, line }) => `${path}:${line}`))}`],
  };
}

/** Where a declared name stands that no server looks at. @param declared with what it is in, such as `Class.method` */
export async function namedElsewhere(declared: string, row: ServerRow, use: Use): Promise<NamedElsewhere> {
  const [name = declared, owner] = declared.split('.').toReversed();
  const parts = [await namedAfter(name, owner, row, use), await otherFiles(name, row, use)];
  return { untouched: parts.flatMap(({ untouched }) => untouched), notes: parts.flatMap(({ notes }) => notes) };
}
