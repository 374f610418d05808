import type { NamedPlace } from '../danger/link-route.ts';
import type { TreeView } from '../danger/tree-view.ts';
import { until } from '../events/timing.ts';
import { closedPlaces, NOTHING_CLOSED, type ClosedPlaces } from './closed-places.ts';
import type { Run } from './run.ts';
import { inSteps } from './sweeps.ts';

/** What stays write-protected while a command writes to the workspace itself. */
export async function closedFor({ parts: { options, index }, request, use: { root, survey } }: Run): Promise<ClosedPlaces> {
  const { findings } = survey;
  const { confinement, policy } = options;
  const linked = await until(index.namesOutside(), request.signal);
  // A rule that denies writing applies to every name of a file.
  const locked = findings.filter(({ kind, behindLink }) => kind === 'locked' && behindLink === undefined).map(({ path }) => path);
  const look = (view: TreeView, outside: readonly NamedPlace[]): ClosedPlaces => closedPlaces(view, confinement.root, findings, outside);
  const { repositories, readOnly } = policy.allowProtected === true ? NOTHING_CLOSED : inSteps(root, confinement, look);
  return { repositories, readOnly: [...readOnly, ...linked, ...index.secondNames([...readOnly, ...locked])] };
}
