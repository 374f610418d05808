import * as z from 'zod';
import { workspaceName } from '../workspace-name.ts';

/** The name of a workspace in a session. */
export const NamedWorkspace = z.object({ session: z.string(), workspace: z.string(), project: z.string() });
export type NamedWorkspace = z.infer<typeof NamedWorkspace>;

/** What of a grant the names of workspaces depend on. */
interface Place {
  readonly identity: string;
  readonly session: string;
  readonly workspace: string;
  readonly project?: string | undefined;
  readonly home?: boolean | undefined;
}

/** A grant whose workspace has a name. */
export type Named<Grant> = Grant & { readonly project: string; readonly home: boolean };

/**
 * Gives each workspace of a session one name for all devices, and each device at most one home. What is written stays: an agent that is set
 * to `api` must never reach another folder. A grant of an earlier version, which is the only one of its device, is its home.
 *
 * @param before the names that were given before
 */
export function withNames<Grant extends Place>(grants: readonly Grant[], before: readonly NamedWorkspace[] = []): ReadonlyArray<Named<Grant>> {
  /** By session: names by path. */
  const names = new Map<string, Map<string, string>>();
  const of = (session: string): Map<string, string> => {
    const known = names.get(session) ?? new Map<string, string>();
    names.set(session, known);
    return known;
  };
  for (const { session, workspace, project } of [...before, ...grants]) {
    const known = of(session);
    if (project !== undefined && !known.has(workspace) && ![...known.values()].includes(project)) known.set(workspace, project);
  }
  for (const { session, workspace } of grants) {
    const known = of(session);
    if (!known.has(workspace)) known.set(workspace, workspaceName(workspace, known.values()));
  }
  const homes = new Map<string, number>();
  const seen = new Map<string, number>();
  const keyOf = ({ identity, session }: Place): string => JSON.stringify([identity, session]);
  for (const grant of grants) {
    const key = keyOf(grant);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (grant.home === true) homes.set(key, (homes.get(key) ?? 0) + 1);
  }
  const isHome = (grant: Place): boolean => grant.home ?? (homes.get(keyOf(grant)) === undefined && seen.get(keyOf(grant)) === 1);
  return grants.map((grant) => ({ ...grant, project: of(grant.session).get(grant.workspace) ?? '', home: isHome(grant) }));
}
