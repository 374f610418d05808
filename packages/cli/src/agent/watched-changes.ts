import type { CallOptions, Hands, ShownChange } from '@synapse/hands';
import type { ToolCaller } from '@synapse/hands/providers';
import { isSynapseError } from '@synapse/protocol';
import { MAX_FILES } from '../screen/diff-lines.ts';

/** Calls whose changes are kept until they are shown. */
const MAX_KEPT = 64;

/** Passes calls on, and looks up what each changed before its result is shown. */
export class WatchedChanges {
  readonly #changes = new Map<string, readonly ShownChange[]>();
  readonly #readsOnly = new Set<string>();
  readonly tools: ToolCaller;

  constructor(hands: Pick<Hands, 'changes'>, tools: ToolCaller) {
    for (const { name, annotations } of tools.tools('json-schema')) if (annotations?.readOnlyHint === true) this.#readsOnly.add(name);
    this.tools = {
      tools: (format) => tools.tools(format),
      call: async (name, input, options) => {
        const answer = await tools.call(name, input, options);
        if (options?.callId === undefined || this.#readsOnly.has(name)) return answer;
        // A tool of a dialect may make several calls, of which the last one usually changes something.
        const last = 'ok' in answer ? answer.meta.callId : answer.result?.meta.callId;
        const ids = new Set([options.callId, last ?? options.callId]);
        const changes = await Promise.all(Array.from(ids, async (id) => await changesOf(hands, id, options)));
        if (this.#changes.size >= MAX_KEPT) this.#changes.clear();
        this.#changes.set(options.callId, changes.flat());
        return answer;
      },
    };
  }

  /** What a call changed; once. */
  take(callId: string): readonly ShownChange[] {
    const changes = this.#changes.get(callId) ?? [];
    this.#changes.delete(callId);
    return changes;
  }
}

/** The model waits for its result meanwhile, so only what is shown is compared. */
async function changesOf(hands: Pick<Hands, 'changes'>, call: string, { signal }: CallOptions): Promise<readonly ShownChange[]> {
  try {
    return await hands.changes({ call }, { diffs: MAX_FILES, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    // Such as a call that was refused before it was recorded, or a step that was stopped.
    if (isSynapseError(error)) return [];
    throw error;
  }
}
