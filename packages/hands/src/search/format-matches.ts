import type { Line, ProvenMatch } from './provable-file.ts';

interface Shown extends Line {
  readonly isMatch: boolean;
}

/** The lines of one file in order, each once: a match may be in the context of another. */
function linesOf(matches: readonly ProvenMatch[]): Shown[] {
  const lines = new Map<number, Shown>();
  for (const { before, after } of matches) for (const near of [...before, ...after]) lines.set(near.line, { ...near, isMatch: false });
  for (const { line, text } of matches) lines.set(line, { line, text, isMatch: true });
  return [...lines.values()].toSorted((a, b) => a.line - b.line);
}

function formatFile(path: string, matches: readonly ProvenMatch[]): string {
  const hasContext = matches.some(({ before, after }) => before.length + after.length > 0);
  let last: number | undefined;
  let text = path;
  for (const { line, text: shown, isMatch } of linesOf(matches)) {
    if (hasContext && last !== undefined && line > last + 1) text += '\n--';
    text += `\n${line}${isMatch ? ':' : '-'} ${shown}`;
    last = line;
  }
  return text;
}

/** Matches as a model reads them: each file's path, then `line: text`; lines of context have a `-`. */
export function formatMatches(matches: readonly ProvenMatch[]): string {
  const files = Map.groupBy(matches, ({ path }) => path);
  return Array.from(files, ([path, own]) => formatFile(path, own)).join('\n\n');
}
