import { SynapseError } from '@synapse/protocol';

/** How a text is looked for in each line. */
export interface SearchPattern {
  readonly pattern: string;
  /** Whether the pattern is plain text and no regular expression. */
  readonly literal: boolean;
}

const META = /[\\.+*?()|[\]{}^$#&\-~]/gu;
/** Verbose mode makes `#` a comment that runs to the end, and would take what is put after it along. */
const VERBOSE = /\(\?[a-zA-Z-]*x/u;

/** Where the class that begins at `start` ends; classes nest, and a `]` that comes first is a character. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at += 1;
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') {
    if (pattern[at] === '\\') at += 2;
    else if (pattern[at] === '[') at = classEnd(pattern, at) + 1;
    else at += 1;
  }
  return at;
}

/** How the groups of a regular expression stand: each closed by itself, one left open, or one closed before it is opened. */
export function groupsOf(pattern: string): 'closed' | 'open' | 'crossed' {
  let depth = 0;
  let at = 0;
  while (at < pattern.length) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '[') at = classEnd(pattern, at);
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0) return 'crossed';
    at += 1;
  }
  return depth === 0 && at === pattern.length ? 'closed' : 'open';
}

/**
 * The regular expression for ripgrep. `(?R)` lets `$` match before CRLF. The rest of the line is
 * matched along with the first match: ripgrep keeps every match of a line in memory, and a line of
 * 50 MB where each letter matches would take gigabytes. Where a line matches is not changed by that.
 */
export function lineExpression({ pattern, literal }: SearchPattern): string {
  if (!literal) {
    const groups = VERBOSE.test(pattern) ? 'open' : groupsOf(pattern);
    if (groups === 'crossed') {
      // ripgrep puts patterns into a group of its own, and would take `a)(b` for two.
      throw new SynapseError('invalid_arguments', 'The pattern is not a valid regular expression: a group is closed that was not opened.', {
        hint: 'Write \\) for a bracket as such, or pass "literal": true to search for the pattern as plain text.',
      });
    }
    // What is not in order goes as it is, for ripgrep to explain.
    if (groups === 'open') return pattern;
  }
  const expression = literal ? pattern.replace(META, String.raw`\$&`) : pattern;
  return String.raw`(?R:${expression})(?-Ru:[^\n]*)`;
}
