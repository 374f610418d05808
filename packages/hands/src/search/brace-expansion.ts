import { SynapseError } from '@synapse/protocol';

/** Maximum number of alternatives of one glob. `{a,b}` 18 times in a row would be 262,144 globs. */
const MAX_ALTERNATIVES = 128;
const MAX_DEPTH = 8;

function refuse(problem: string): never {
  throw new SynapseError('invalid_arguments', `The glob ${problem}.`, { hint: 'Use globs such as **/*.ts, src/**/*.{ts,tsx} or package.json.' });
}

/** Returns the end of a literal part that begins at `start`: an escape, a class, or one character. */
export function literalEnd(glob: string, start: number): number {
  if (glob[start] === '\\') {
    if (start + 1 >= glob.length) refuse('ends with a backslash that escapes nothing');
    return start + 2;
  }
  if (glob[start] !== '[') return start + 1;
  let at = start + 1;
  if (glob[at] === '!' || glob[at] === '^') at += 1;
  if (glob[at] === ']') at += 1;
  while (at < glob.length && glob[at] !== ']') at += 1;
  if (at >= glob.length) refuse('has a [ without its ]');
  return at + 1;
}

interface Parsed {
  readonly alternatives: string[];
  readonly end: number;
}

function parse(glob: string, start: number, depth: number): Parsed {
  if (depth > MAX_DEPTH) refuse(`nests braces more than ${MAX_DEPTH} deep`);
  const alternatives: string[] = [];
  let current = [''];
  let at = start;
  while (at < glob.length) {
    const character = glob[at];
    if (depth > 0 && (character === ',' || character === '}')) {
      alternatives.push(...current);
      if (character === '}') return { alternatives, end: at + 1 };
      current = [''];
      at += 1;
      continue;
    }
    const inner =
      character === '{' ? parse(glob, at + 1, depth + 1) : { alternatives: [glob.slice(at, literalEnd(glob, at))], end: literalEnd(glob, at) };
    if (alternatives.length + current.length * inner.alternatives.length > MAX_ALTERNATIVES) {
      refuse(`stands for more than ${MAX_ALTERNATIVES} alternatives`);
    }
    current = current.flatMap((before) => inner.alternatives.map((after) => before + after));
    at = inner.end;
  }
  if (depth > 0) refuse('has a { without its }');
  return { alternatives: current, end: at };
}

/** Returns the globs without braces that a glob stands for. */
export function expandBraces(glob: string): string[] {
  return [...new Set(parse(glob, 0, 0).alternatives)];
}
