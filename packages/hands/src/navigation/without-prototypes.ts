import type { SymbolGroup } from '../syntax/match-symbols.ts';

/** A declaration, with the lines of its file. */
interface Candidate {
  readonly path: string;
  readonly group: SymbolGroup;
  readonly lines: readonly string[];
}

/** Files of C, in which a name is one function: C++ tells functions of one name by their parameters. */
const C = /\.[ch]$/u;
/** The end of a declaration that has no body. */
const NO_BODY = /;\s*(?:\/\/.*|\/\*.*\*\/\s*)?$/u;

/** Characters of a line that are looked at: the expression takes time with the square of them. */
const MAX_END = 200;

const isPrototype = ({ group, lines }: Candidate): boolean =>
  group.first.kind === 'function' && NO_BODY.test((lines[group.endLine - 1] ?? '').slice(-MAX_END));

/**
 * Leaves out the prototypes of a function of C that is defined once among the candidates: they declare the same one. Returns all if anything
 * else is among them.
 */
export function withoutPrototypes<One extends Candidate>(candidates: readonly One[]): readonly One[] {
  const defined = candidates.filter((one) => !isPrototype(one));
  const [only] = defined;
  if (only === undefined || defined.length > 1 || only.group.first.kind !== 'function') return candidates;
  return only.path.endsWith('.c') && candidates.every(({ path }) => C.test(path)) ? [only] : candidates;
}
