import { AsyncLocalStorage } from 'node:async_hooks';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { AnyTool } from '../tool/tool.ts';
import type { LinkToOwner } from './far-approver.ts';
import type { ToolAnswer, ToolCall, ToolFacts } from './methods.ts';

/** A call of a tool of the embedding program. */
interface FarCall extends ToolCall {
  readonly key: number;
  accepted: boolean;
  answer?: Pick<ToolAnswer, 'summary' | 'completion'>;
}

/**
 * The tools of the embedding program, in the process of a branch: they are judged, asked about and recorded here, and run there.
 * What they say about a call comes with it, because the schema and the functions of a tool cannot leave their process.
 */
export class FarTools {
  readonly #link: () => LinkToOwner;
  readonly #calls = new AsyncLocalStorage<FarCall>();

  constructor(link: () => LinkToOwner) {
    this.#link = link;
  }

  /** Runs a call, with what its tool says about it. */
  async within<T>(key: number, call: ToolCall | undefined, work: () => Promise<T>): Promise<T> {
    return call === undefined ? await work() : await this.#calls.run({ ...call, key, accepted: false }, work);
  }

  #current(name: string): FarCall {
    const call = this.#calls.getStore();
    if (call !== undefined) return call;
    throw new SynapseError('unavailable', `${name} is a tool of the program that opened the branch, and cannot be called from here.`);
  }

  /** The tool, as the hands of the branch have it. */
  tool({ limits, ...facts }: ToolFacts): AnyTool {
    const { name } = facts;
    return {
      ...facts,
      ...(limits === undefined ? {} : { limits }),
      // Parsed already, by its schema.
      input: z.looseObject({}),
      output: z.unknown(),
      permission: () => {
        const { permissions, refusal } = this.#current(name);
        if (refusal === undefined) return permissions;
        const { code, message, hint } = refusal;
        throw new SynapseError(code, message, hint === undefined ? {} : { hint });
      },
      timeoutMs: () => this.#current(name).timeoutMs,
      summarize: () => this.#calls.getStore()?.answer?.summary ?? `${name}()`,
      completion: () => this.#calls.getStore()?.answer?.completion ?? 'ok',
      held: () => {
        const call = this.#calls.getStore();
        if (call?.held === undefined) return undefined;
        const accept = (): void => void (call.accepted = true);
        return { ...call.held, accept };
      },
      execute: async (_, { origin: { callId, projectId }, limits: own, shell, signal, progress }) => {
        const call = this.#current(name);
        const { key, accepted } = call;
        const params = { key, projectId, callId, limits: own, shell, accepted };
        const { summary, completion, ...answer } = await this.#link().request('run', params, { signal, onNotice: progress });
        call.answer = { summary, completion };
        return answer;
      },
    };
  }
}
