import { displayText } from '../workspace/byte-name.ts';
import type { Decision } from './decision.ts';

/** Temporary places, which every command has for itself. */
const SCRATCH = /^\/(?:tmp|var\/tmp|dev|proc)(?:\/|$)/u;
/** Maximum number of paths to name. */
const MAX_NAMED = 2;

/**
 * A note about what a command in the sandbox wrote outside the workspace: there it has files of its own, which end with it. Without
 * a note, the command seems to have worked. Undefined if it names no such place.
 */
export function lostWritesNote({ accesses }: Pick<Decision, 'accesses'>): string | undefined {
  const paths = accesses.flatMap(({ access }) =>
    access.kind === 'write' && access.byCommand === true && !access.location.inside && !SCRATCH.test(access.given) ? [displayText(access.given)] : [],
  );
  // `cp a b` writes b, or b/a if that is a folder.
  const [first, ...more] = new Set(paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`))));
  if (first === undefined) return undefined;
  const others = more.length < MAX_NAMED ? more.join(' and ') : `${more.length} more`;
  const named = others === '' ? first : `${first} and ${others}`;
  return `${named}: outside the workspace, where what a command writes is gone when it ends. Write it in the workspace`;
}
