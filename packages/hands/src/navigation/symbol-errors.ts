import { SynapseError } from '@synapse/protocol';
import { nearestSymbols, type SymbolGroup } from '../syntax/match-symbols.ts';
import type { SyntaxFile } from '../syntax/syntax-file.ts';

/** Maximum number of candidates that an error lists. */
const MAX_CANDIDATES = 12;

const range = (line: number, endLine: number): string => (line === endLine ? `${line}` : `${line}-${endLine}`);

/** The error for a name that several declarations have. */
export function ambiguous(wanted: string, candidates: readonly { readonly path: string; readonly group: SymbolGroup }[]): SynapseError {
  const lines = candidates
    .slice(0, MAX_CANDIDATES)
    .map(({ path, group }) => `${path}:${range(group.line, group.endLine)} ${group.first.kind} ${group.first.path}`);
  const more = candidates.length - lines.length;
  return new SynapseError(
    'ambiguous_match',
    `${candidates.length} symbols are named ${wanted}:\n${lines.join('\n')}${more > 0 ? `\nand ${more} more` : ''}`,
    {
      hint: 'Give the name with what is around it (Class.method), or path and line.',
    },
  );
}

/** The error for a name that a file does not have. @param syntax undefined if there is none */
export function symbolNotFound(path: string, wanted: string, syntax: Pick<SyntaxFile, 'symbols' | 'hasError'> | undefined): SynapseError {
  const symbols = syntax?.symbols() ?? [];
  const near = nearestSymbols(symbols, wanted);
  const some = [...new Set(symbols.filter(({ depth }) => depth === 0).map((one) => one.path))].slice(0, MAX_CANDIDATES);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(', ')}?`
      : some.length > 0
        ? `Its symbols are: ${some.join(', ')}.`
        : 'The file declares no symbols. Use search_text to find where it is.';
  const lost = syntax?.hasError === true ? ' The file has syntax errors, so some may be missing: use search_text.' : '';
  return new SynapseError('no_match', `Symbol not found in ${path}: ${wanted.slice(0, 200)}`, { hint: `${hint}${lost}`, details: { nearest: near } });
}

/** The error for a name that no file below a folder declares. */
export function notBelow(path: string, wanted: string, hint: string): SynapseError {
  return new SynapseError('no_match', `No symbol is named ${wanted.slice(0, 100)}${path === '.' ? '' : ` below ${path}`}.`, { hint });
}
