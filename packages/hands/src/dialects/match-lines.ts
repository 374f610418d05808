import type * as z from 'zod';
import type { searchText } from '../tools/search-text.ts';

type Match = z.output<(typeof searchText)['output']>['matches'][number];

/** Format of search results. */
export interface MatchForm {
  /** Default: true. */
  readonly numbers?: boolean;
}

/** Formats matches as ripgrep does without headings: `path:line:text`, context lines with dashes, `--` between groups. */
export function matchLines(matches: readonly Match[], { numbers = true }: MatchForm = {}): string {
  const hasContext = matches.some(({ before = [], after = [] }) => before.length + after.length > 0);
  let text = '';
  for (const [path, own] of Map.groupBy(matches, (match) => match.path)) {
    const lines = new Map<number, { text: string; mark: string }>();
    for (const { before = [], after = [] } of own)
      for (const { line, text: shown } of [...before, ...after]) lines.set(line, { text: shown, mark: '-' });
    // A match may be in the context of another match.
    for (const { line, text: shown } of own) lines.set(line, { text: shown, mark: ':' });
    let last: number | undefined;
    for (const [line, { text: shown, mark }] of [...lines].toSorted(([a], [b]) => a - b)) {
      if (hasContext && text !== '' && last !== line - 1) text += '--\n';
      text += `${path}${mark}${numbers ? `${line}${mark}` : ''}${shown}\n`;
      last = line;
    }
  }
  return text;
}
