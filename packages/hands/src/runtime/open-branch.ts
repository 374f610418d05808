import { resolve } from 'node:path';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { BranchStore, type StoredBranch } from '../branch/branch-store.ts';
import { NearCalls } from '../branch-hands/near-calls.ts';
import { factsOf, type NearToolCall } from '../branch-hands/near-tools.ts';
import { ownerHandlers } from '../branch-hands/owner-handlers.ts';
import { revokeGrants } from '../policy/policy-report.ts';
import { branchMethods } from './branch-methods.ts';
import { BranchListeners, BranchMode } from './branch-parts.ts';
import { assertOutside } from './branches.ts';
import { BranchSession } from './branch-session.ts';
import type { Branch, BranchOptions, Hands } from './hands.ts';
import type { HandsOptions } from './hands-options.ts';
import { configure, type Place } from './open-place.ts';
import { policyMethods } from './policy-methods.ts';
import type { Runtime } from './runtime.ts';
import { startBranch } from './start-branch.ts';

/** The hands that open a branch. */
export interface OwnerOfBranch {
  readonly options: HandsOptions;
  readonly place: Place;
  readonly runtime: Runtime;
  readonly hands: Hands;
}

/** An open branch, at the hands that opened it. */
export interface OpenBranch extends AsyncDisposable {
  readonly branch: Branch;
  /** Called when the hands that opened it changed their mode: the branch is never looser. */
  onMode(): void;
  /** Sets what is called once it is closed. */
  onClosed(listener: () => void): void;
}

/** Opens a branch, and makes it if it does not exist. */
export async function openBranch(owner: OwnerOfBranch, name: string, { from, create = true, copiesAtMost }: BranchOptions): Promise<OpenBranch> {
  const { options, place, runtime, hands } = owner;
  const { confinement } = place;
  const [stateFolder = place.stateFolder, configFolder = place.userFolder] = place.ownFolders;
  assertOutside(stateFolder);
  const store = new BranchStore(stateFolder, confinement.root);
  const stored = await findOrCreate(store, name, from, create);
  // Of its own: it has the same rules, but may be stricter, and has the approvals of its own sessions.
  const { policy } = configure(options, place, () => hands);
  const tools = [...(options.tools ?? [])];
  const limit = new BranchMode(runtime.authorizer.policy, policy);
  const calls = new NearCalls(options.approver);
  const toolCalls = new Map<number, NearToolCall>();
  const listeners = new BranchListeners();
  const handlers = ownerHandlers({
    branch: name,
    calls,
    toolCalls,
    link: () => session.link,
    onAnswer({ tool, proposals }, answer) {
      // What counts for the session counts in its process; this is for the report.
      if (answer.verdict !== 'allow' || answer.scope !== 'session' || answer.effect !== undefined) return;
      const rules = answer.proposal?.rules.join('\n');
      const proposal = proposals.find((shown) => shown.rules.join('\n') === rules);
      if (proposal !== undefined) policy.remember(proposal, tool, 'session');
    },
  });
  const session = new BranchSession({
    stored,
    store,
    hold: { stateFolder, locks: runtime.powers.locks, signal: runtime.closing, ...(copiesAtMost === undefined ? {} : { cloneLimits: copiesAtMost }) },
    start(held) {
      const opening = {
        options: optionsFor(options, { root: confinement.root, stateFolder: held.stateFolder, configFolder }),
        tools: tools.map(factsOf),
        mode: limit.refresh(),
      };
      const started = startBranch({ name, held, root: confinement.root, stateFolder, handlers, opening });
      listeners.follow(started.link);
      // The approvals of a session end with its process.
      void started.ended.then(() => policy.revoke(({ scope }) => scope === 'session'));
      return started;
    },
  });
  await session.mount();
  const methods = branchMethods({ stored, session, calls, toolCalls, tools, runtime, hands, emit: listeners.emit, stateFolder });
  const own = policyMethods(options, { ...runtime, authorizer: { ...runtime.authorizer, policy } });
  let onClosed = (): void => {};
  const close = async (): Promise<void> => {
    await session[Symbol.asyncDispose]();
    onClosed();
  };
  const tell = (): void => {
    const mode = limit.refresh();
    session.link?.request('limitMode', { mode }).catch(() => {});
  };
  const branch: Branch = {
    ...methods,
    constraints: own.constraints,
    policy: own.policy,
    limitMode(mode) {
      const inForce = limit.choose(mode);
      tell();
      return inForce;
    },
    revoke(which) {
      const revoked = revokeGrants(policy, which);
      for (const { scope, rules } of revoked) if (scope === 'session') void session.link?.request('revoke', { rules }).catch(() => {});
      return revoked;
    },
    subscribe: (listener) => listeners.add(listener, session.link),
    [Symbol.asyncDispose]: close,
  };
  return {
    branch,
    onMode: tell,
    onClosed: (listener) => void (onClosed = listener),
    [Symbol.asyncDispose]: close,
  };
}

/** An existing branch, or a new one. */
async function findOrCreate(store: BranchStore, name: string, from: string | undefined, create: boolean): Promise<StoredBranch> {
  const found = create ? ((await made(store, name, from)) ?? store.get(name)) : store.get(name);
  if (from === undefined || found.record.from === from) return found;
  throw new SynapseError('already_exists', `The branch ${name} exists already, and is based on ${found.record.from ?? 'the workspace'}.`, {
    hint: 'Choose another name, or leave out `from`.',
  });
}

/** A new branch; undefined if there is one of this name, which another process may have made just now. */
async function made(store: BranchStore, name: string, from: string | undefined): Promise<StoredBranch | undefined> {
  if (store.has(name)) return undefined;
  try {
    return await store.create(name, from);
  } catch (error) {
    if (isSynapseError(error) && error.code === 'already_exists') return undefined;
    throw error;
  }
}

/** The options of the hands in the branch. The texts of an editor are those of the workspace, and tools and approver stay in this process. */
function optionsFor(options: HandsOptions, folders: { readonly root: string; readonly stateFolder: string; readonly configFolder: string }) {
  const { allow, readable, limits, environment, policy, sandbox, undoCommands, editDiagnostics, network, mcp } = options;
  return {
    workspace: options.workspace === folders.root ? folders.root : resolve(options.workspace),
    stateFolder: folders.stateFolder,
    configFolder: folders.configFolder,
    allow: [...(allow ?? [])],
    readable: [...(readable ?? [])],
    ...(limits === undefined ? {} : { limits }),
    ...(environment === undefined ? {} : { environment }),
    ...(policy === undefined ? {} : { policy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(undoCommands === undefined ? {} : { undoCommands }),
    ...(editDiagnostics === undefined ? {} : { editDiagnostics }),
    ...(network === undefined ? {} : { network }),
    // Many branches do not start all servers each: the list of their tools is that of the hands above.
    ...(mcp === undefined ? {} : { mcp: typeof mcp === 'object' ? { ...mcp, connect: 'demand' } : mcp && { connect: 'demand' } }),
  };
}
