import { grantRefusal, type RemoteGrant } from './grant.ts';

/** The permissions of a device as its machine has them. Only the machine knows the workspaces: see {@link relayGrant}. */
export interface MachineGrant extends RemoteGrant {
  /** What it may do in each workspace, by name. Undefined: the machine serves one workspace, which has no name. */
  readonly workspaces?: ReadonlyMap<string, RemoteGrant>;
  /** The workspace of calls that name none: the one that the device was paired with. */
  readonly home?: string;
}

/** Permissions of the paired devices, by device id. */
export type Grants = ReadonlyMap<string, MachineGrant>;

/** The most that a grant may have. */
const MAX_TOOLS = 200;
const MAX_RUNNING = 64;

const union = (lists: ReadonlyArray<readonly string[]>): string[] => {
  const all = [...new Set(lists.flat())];
  return all.length > MAX_TOOLS ? ['*'] : all;
};

/**
 * Joins what a device may do in each workspace to what it may do in any of them, which is all that a relay checks. The machine checks each
 * call by its workspace.
 *
 * @param workspaces at least one
 */
export function joinGrants(workspaces: ReadonlyMap<string, RemoteGrant>, home: string | undefined): MachineGrant | undefined {
  const all = [...workspaces.values()];
  const [first] = all;
  if (first === undefined) return undefined;
  const ports = all.some((one) => one.ports === 'all') ? 'all' : all.find((one) => one.ports !== undefined)?.ports;
  return {
    identity: first.identity,
    name: first.name,
    role: all.some(({ role }) => role === 'brain') ? 'brain' : 'approver',
    tools: union(all.map(({ tools }) => tools)),
    approves: union(all.map(({ approves }) => approves)),
    maxRunning: Math.min(
      MAX_RUNNING,
      all.reduce((sum, one) => sum + one.maxRunning, 0),
    ),
    ...(ports === undefined ? {} : { ports }),
    expires: Math.max(...all.map(({ expires }) => expires)),
    workspaces,
    ...(home === undefined ? {} : { home }),
  };
}

/** The part of a grant that a relay gets: no word of workspaces. */
export function relayGrant(grant: MachineGrant): RemoteGrant {
  if (grant.workspaces === undefined) return grant;
  const { workspaces: _workspaces, home: _home, ...rest } = grant;
  return rest;
}

/** The name of the workspace that a device means. */
export const workspaceOf = (grant: MachineGrant | undefined, named: string | undefined): string | undefined => named ?? grant?.home;

/** What a device may do in a workspace; undefined if it may not use it, or there is none of that name. */
export function grantIn(grant: MachineGrant | undefined, named: string | undefined): RemoteGrant | undefined {
  if (grant?.workspaces === undefined) return named === undefined ? grant : undefined;
  const name = workspaceOf(grant, named);
  return name === undefined ? undefined : grant.workspaces.get(name);
}

/** The workspaces that a device may use now, by name, in the order of its grants. */
export function workspacesOf({ workspaces }: MachineGrant, now: number): string[] {
  return [...(workspaces ?? [])].flatMap(([name, { expires }]) => (now < expires ? [name] : []));
}

/** The answer for a workspace that the device may not use. Whether there is one of that name is not told. */
export function unknownWorkspace(names: readonly string[], named: string | undefined): string {
  const known = names.length === 0 ? 'It may use none that has a name.' : `It may use: ${names.join(', ')}.`;
  return named === undefined ? `Name a workspace. ${known}` : `No workspace of this device is called ${JSON.stringify(named)}. ${known}`;
}

/** A call, as far as grants are about it. */
export interface GrantedCall {
  readonly tool: string;
  readonly dialect?: string | undefined;
  readonly workspace?: string | undefined;
}

/** Returns the reason that a device may not make a call in its workspace; undefined if it may. */
export function callRefusal(grant: MachineGrant | undefined, call: GrantedCall, now: number): string | undefined {
  const here = grantIn(grant, call.workspace);
  if (grant === undefined || here !== undefined) return grantRefusal(here, call, now);
  return unknownWorkspace(workspacesOf(grant, now), call.workspace);
}

/** Whether a device is an approver in a workspace now. Its grant there may end before that of another workspace. */
export function isApproverIn(grant: MachineGrant | undefined, workspace: string | undefined, now: number): boolean {
  const here = grantIn(grant, workspace);
  return here?.role === 'approver' && now < here.expires;
}
