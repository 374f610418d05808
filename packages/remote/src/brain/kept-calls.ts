import { SynapseError } from '@synapse/protocol';
import type { BrainState, FinishedCall, OpenCall } from '@synapse/protocol/remote';
import { keptText, readKept, type BrainStore } from './brain-store.ts';
import type { FinishedCalls } from './finished-calls.ts';
import type { OpenRemoteCall } from './remote-hands.ts';

/** The calls of an agent that have no answer yet, in its store. */
export class KeptCalls {
  readonly #store: BrainStore | undefined;
  /** Calls that ended after a restart, before their callers asked for them. */
  readonly #ended = new Map<string, OpenCall>();

  constructor(store: BrainStore | undefined) {
    this.#store = store;
  }

  /** Calls that ended, and whose answers were not asked for yet. */
  get ended(): ReadonlyMap<string, OpenCall> {
    return this.#ended;
  }

  /** Lists the calls without an answer. @param open those that have not ended */
  list(open: BrainState['calls']): OpenRemoteCall[] {
    const all = [...open, ...this.#ended];
    return all.map(([callId, { call }]) => ({
      callId,
      tool: call.tool,
      arguments: call.args,
      time: new Date(call.at).toISOString(),
      ...(call.workspace === undefined ? {} : { workspace: call.workspace }),
    }));
  }

  /** Reads the calls from before a restart. @throws if one of them cannot be read: then it is not known whether it ran */
  async load(done: FinishedCalls, now: number): Promise<BrainState['calls']> {
    const open = new Map<string, OpenCall>();
    for (const [id, text] of (await this.#store?.load()) ?? []) {
      const { open: call, result } = this.#read(id, text, now);
      done.isReused(id, call.hash);
      if (result === undefined) open.set(id, call);
      else {
        done.add(id, result);
        this.#ended.set(id, call);
      }
    }
    return open;
  }

  #read(id: string, text: string, now: number): ReturnType<typeof readKept> {
    try {
      return readKept(text, now);
    } catch (error) {
      throw new SynapseError('unavailable', `The store of calls has one that cannot be read: ${JSON.stringify(id.slice(0, 64))}`, {
        hint: 'It may have run. Look, and then delete it from the store.',
        cause: error,
      });
    }
  }

  keep(id: string, open: OpenCall): Promise<void> | undefined {
    return this.#store?.put(id, keptText({ open })) ?? undefined;
  }

  /** Keeps a result whose caller does not wait for it, because it is gone. */
  end(id: string, open: OpenCall, result: FinishedCall): Promise<void> | undefined {
    if (this.#store === undefined) return undefined;
    this.#ended.set(id, open);
    return this.#store.put(id, keptText({ open, result })) ?? undefined;
  }

  /** Forgets a call whose caller has its answer. */
  forget(id: string): Promise<void> | undefined {
    this.#ended.delete(id);
    return this.#store?.delete(id) ?? undefined;
  }
}
