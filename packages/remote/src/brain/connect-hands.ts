import { SynapseError, type CallResult } from '@synapse/protocol';
import type { DataFrames } from '@synapse/protocol/remote';
import type { ShownChange, UndoPlan, UndoSelection } from '@synapse/hands';
import type { AiSdkTool } from '@synapse/hands/providers';
import * as z from 'zod';
import { RemoteAbout } from '../remote-about.ts';
import { sessionUrl } from '../session-url.ts';
import { aiSdkTools } from './ai-sdk-tools.ts';
import { BrainConnection } from './brain-connection.ts';
import type { BrainOptions } from './brain-options.ts';
import { ChangesRead, UndoPlanRead } from './read-undo.ts';
import {
  unreadable,
  type RemoteCallOptions,
  type RemoteEvent,
  type RemoteHands,
  type RemoteOutputOptions,
  type RemoteToolFormat,
} from './remote-hands.ts';

/**
 * Connects to hands on another machine through a session at a relay.
 *
 * @throws SynapseError `invalid_arguments` for an invalid address or invalid credentials
 * @example
 * await using hands = connectHands('ws://127.0.0.1:7412#laptop');
 * const result = await hands.call('read_file', { path: 'package.json' });
 */
export function connectHands(relay: string, options: BrainOptions = {}): RemoteHands {
  return new HandsAtMachine(new BrainConnection(sessionUrl(relay, options.session), options));
}

/** The machine's answer to a read of tools that it does not have. */
const Refusal = z.object({ error: z.object({ message: z.string() }) });

class HandsAtMachine implements RemoteHands {
  readonly #connection: BrainConnection;

  constructor(connection: BrainConnection) {
    this.#connection = connection;
  }

  async call(name: string, input?: unknown, options: RemoteCallOptions = {}): Promise<CallResult> {
    return (await this.#connection.run(name, input, undefined, options)).result;
  }

  async #tools(name: string): Promise<unknown> {
    const value: unknown = JSON.parse(await this.#connection.read('tools', name));
    const refused = Refusal.safeParse(value);
    if (refused.success) throw new SynapseError('invalid_arguments', refused.data.error.message);
    return value;
  }

  tools(format: 'ai-sdk'): Promise<Record<string, AiSdkTool>>;
  tools(format: RemoteToolFormat): Promise<unknown>;
  tools(format: RemoteToolFormat | 'ai-sdk'): Promise<unknown> {
    if (format !== 'ai-sdk') return this.#tools(format);
    return aiSdkTools(
      () => this.#tools('json-schema'),
      (tool, input, options) => this.call(tool, input, options),
    );
  }

  dialect(name: string): ReturnType<RemoteHands['dialect']> {
    const call: ReturnType<RemoteHands['dialect']>['call'] = (tool, input, options = {}) => this.#connection.run(tool, input, name, options);
    const write = (format: RemoteToolFormat | 'ai-sdk'): Promise<unknown> => {
      const read = (of: RemoteToolFormat): Promise<unknown> => this.#tools(`${of}:${name}`);
      return format === 'ai-sdk' ? aiSdkTools(() => read('json-schema'), call) : read(format);
    };
    // One function implements all overloads.
    return { name, tools: write as ReturnType<RemoteHands['dialect']>['tools'], call };
  }

  undo(selection: UndoSelection = {}, options: RemoteCallOptions = {}): Promise<CallResult> {
    return this.call('undo', selection, options);
  }

  planUndo(selection: UndoSelection = {}): Promise<UndoPlan> {
    return this.#ask('plan_undo', selection, UndoPlanRead);
  }

  changes(selection: Pick<UndoSelection, 'call' | 'session'> = {}): Promise<ShownChange[]> {
    return this.#ask('changes', selection, ChangesRead);
  }

  async #ask<Value>(name: string, selection: UndoSelection, schema: z.ZodType<Value>): Promise<Value> {
    const result = await this.call(name, selection);
    if (!result.ok) {
      const { code, message, hint } = result.error;
      throw new SynapseError(code, message, hint === undefined ? {} : { hint });
    }
    const read = schema.safeParse(result.data);
    if (read.success) return read.data;
    throw unreadable();
  }

  output(callId: string, { from }: RemoteOutputOptions = {}): Promise<string> {
    return this.#connection.read('output', callId, from);
  }

  async about(): Promise<RemoteAbout> {
    return RemoteAbout.parse(await this.#tools('about'));
  }

  approve(request: DataFrames['approval_request'], option: 'allow_once' | 'reject'): void {
    this.#connection.approve(request, option);
  }

  questions(listener: (request: DataFrames['approval_request']) => void): () => void {
    return this.#connection.questions(listener);
  }

  subscribe(listener: (event: RemoteEvent) => void): () => void {
    return this.#connection.subscribe(listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection[Symbol.asyncDispose]();
  }
}
