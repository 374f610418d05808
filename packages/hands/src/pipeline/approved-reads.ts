import type { Decision } from '../policy/decision.ts';

/**
 * The files that a command which may run reads by name. Whoever approved it saw these names; the sandbox, which hides
 * what asks, has to show them. Not what lies below a folder: nobody saw those names.
 */
export function approvedReads({ parts }: Decision): ReadonlySet<string> {
  const paths = parts.flatMap(({ part }) =>
    (part.kind === 'read' || part.kind === 'mention') && !part.tree && part.location.inside ? [part.location.path] : [],
  );
  return new Set(paths);
}
