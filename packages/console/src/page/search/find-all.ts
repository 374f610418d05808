import type { ConsoleCall, ConsoleRun, ConsoleSessionChanges, ConsoleTool } from '@synapse/protocol/console';
import { hrefOf, VIEWS } from '../link/places.ts';

/** Something that the search found. */
export interface Found {
  readonly group: 'Views' | 'Tools' | 'Runs' | 'Changed files' | 'Calls';
  readonly title: string;
  readonly detail: string;
  readonly href: string;
}

export interface Searched {
  /** Oldest first. */
  readonly calls: readonly ConsoleCall[];
  readonly runs: readonly ConsoleRun[];
  readonly tools: readonly ConsoleTool[];
  readonly changes: readonly ConsoleSessionChanges[];
}

/** Maximum number of hits of a group, and of calls that are looked at. */
const MAX_HITS = 8;
const MAX_CALLS = 50_000;

/** Finds words in everything that the page can show. All words must occur. */
export function findAll(text: string, { calls, runs, tools, changes }: Searched): Found[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const fits = (...parts: readonly string[]): boolean => {
    const all = parts.join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const found: Found[] = VIEWS.filter((view) => fits(view)).map((view) => ({ group: 'Views', title: view, detail: '', href: hrefOf(view) }));
  const tool = tools.filter(({ name, title }) => fits(name, title)).slice(0, MAX_HITS);
  found.push(...tool.map(({ name, title }): Found => ({ group: 'Tools', title: name, detail: title, href: hrefOf('tools', name) })));
  const run = runs.filter(({ title, id, brain }) => fits(title, id, brain)).slice(-MAX_HITS);
  found.push(
    ...run.toReversed().map(({ title, id, brain }): Found => ({ group: 'Runs', title, detail: `${id} · ${brain}`, href: hrefOf('runs', id) })),
  );
  const files = changes.flatMap(({ session, title, paths }) =>
    session === null ? [] : paths.filter((path) => fits(path)).map((path) => ({ path, session, title: title ?? session })),
  );
  found.push(
    ...files
      .slice(0, MAX_HITS)
      .map(({ path, session, title }): Found => ({ group: 'Changed files', title: path, detail: title, href: hrefOf('changes', session) })),
  );
  let hits = 0;
  for (let index = calls.length - 1; index >= Math.max(0, calls.length - MAX_CALLS) && hits < MAX_HITS; index -= 1) {
    const call = calls[index];
    if (call === undefined || !fits(call.tool, call.args, call.id, call.session ?? '')) continue;
    hits += 1;
    found.push({ group: 'Calls', title: call.tool, detail: call.args, href: hrefOf('calls', call.id) });
  }
  return found;
}
