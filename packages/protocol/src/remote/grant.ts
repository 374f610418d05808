import * as z from 'zod';
import { deviceId, Identity } from './device.ts';

const name = z.string().min(1).max(160);

/** The permissions of a paired device for the hands of one project. Checked at the relay, and again at the hands. */
export const RemoteGrant = z.object({
  identity: Identity,
  name: z.string().max(64),
  /** An approver answers questions but makes no calls. */
  role: z.enum(['brain', 'approver']),
  /** Tools by name, `dialect:tool` for those of a dialect. A final `*` matches any rest. */
  tools: z.array(name).max(200),
  /** Tools whose calls this device may approve itself. If empty, a brain cannot approve its own calls. */
  approves: z.array(name).max(200),
  maxRunning: z.int().min(1).max(64),
  /** The jobs whose ports it may reach: those that it started, or all of the project. Undefined: none. */
  ports: z.enum(['own', 'all']).optional(),
  /** Expiry in milliseconds since 1970. */
  expires: z.int().min(0),
});
export type RemoteGrant = z.infer<typeof RemoteGrant>;

const ids = new WeakMap<RemoteGrant, string>();

/** Returns the id of a grant's device. Kept with the grant: a relay asks for it with each call, and outside of Node it takes 20 µs. */
export function deviceOf(grant: RemoteGrant): string {
  const known = ids.get(grant);
  if (known !== undefined) return known;
  const id = deviceId(grant.identity);
  ids.set(grant, id);
  return id;
}

/** Whether a list of names, some of which end with `*`, matches a name. */
export function namesTool(names: readonly string[], tool: string): boolean {
  return names.some((one) => (one.endsWith('*') ? tool.startsWith(one.slice(0, -1)) : one === tool));
}

/** Returns the reason a grant does not allow a call; undefined if it does. */
export function grantRefusal(
  grant: RemoteGrant | undefined,
  { tool, dialect }: { readonly tool: string; readonly dialect?: string | undefined },
  now: number,
): string | undefined {
  if (grant === undefined) return 'This device may not call tools here. Pair it again: synapse pair.';
  if (grant.role === 'approver') return 'This device only answers questions: synapse pair approve. To call tools, pair it again without --approver.';
  if (now >= grant.expires) return 'The grant of this device has expired. Pair it again, unless a clock is wrong: synapse pair.';
  const called = dialect === undefined ? tool : `${dialect}:${tool}`;
  return namesTool(grant.tools, called) ? undefined : `The grant of this device does not include ${called}.`;
}
