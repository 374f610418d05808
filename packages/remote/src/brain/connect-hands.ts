import { SynapseError, type CallResult } from '@synapse/protocol';
import type { DataFrames } from '@synapse/protocol/remote';
import type { Approver, CallArguments, CallData, ShownChange, UndoPlan, UndoSelection } from '@synapse/hands';
import type { ToolFormat, ToolFormats, WriteOptions } from '@synapse/hands/providers';
import * as z from 'zod';
import { RemoteAbout } from '../remote-about.ts';
import { readAddress, sessionUrl } from '../session-url.ts';
import { AskedHere } from './ask-approver.ts';
import { BrainConnection } from './brain-connection.ts';
import { OLD_MACHINE } from './brain-errors.ts';
import type { BrainOptions } from './brain-options.ts';
import { Described, remoteTools } from './remote-tools.ts';
import { ChangesRead, UndoPlanRead } from './read-undo.ts';
import { optionsProblem } from './options-problem.ts';
import {
  unreadable,
  type OpenRemoteCall,
  type RemoteCallOptions,
  type RemoteDialect,
  type RemoteDialectResult,
  type RemoteEvent,
  type RemoteHands,
  type RemoteOutputOptions,
  type RemotePort,
  type RemotePortOptions,
  type RemoteReadOptions,
} from './remote-hands.ts';
import { tell } from './tell.ts';
import { refusedCall } from './waiting-calls.ts';
import { WholeOutput } from './whole-output.ts';

/** @throws SynapseError `unavailable` in a web page that may not use cryptography: browsers allow it only to secure ones */
function checkSecure(): void {
  if ('subtle' in crypto && 'randomUUID' in crypto) return;
  throw new SynapseError('unavailable', 'This page may not connect: browsers allow cryptography only to secure pages.', {
    hint: 'Open it with https://, or from http://localhost.',
  });
}

/**
 * Connects to hands on another machine through a session at a relay.
 *
 * @throws SynapseError `invalid_arguments` for an invalid address or invalid credentials; `unavailable` in a web page that is not secure
 * @example
 * await using hands = connectHands('ws://127.0.0.1:7412#laptop');
 * const result = await hands.call('read_file', { path: 'package.json' });
 */
export function connectHands(relay: string, options: BrainOptions = {}): RemoteHands {
  checkSecure();
  const { session, approver, workspace = readAddress(relay, session).workspace } = options;
  return new HandsAtMachine(new BrainConnection(sessionUrl(relay, session), options), { approver, workspace, isWhole: true });
}

/** The machine's answer to a read of tools that it does not have. */
const Refusal = z.object({ error: z.object({ code: z.string().optional(), message: z.string(), hint: z.string().optional() }) });
const Workspaces = z.object({ workspaces: z.array(z.string()) });

interface Part {
  readonly approver: Approver | undefined;
  readonly workspace: string | undefined;
  /** Whether the connection ends with them. */
  readonly isWhole: boolean;
}

class HandsAtMachine implements RemoteHands {
  readonly #connection: BrainConnection;
  readonly #part: Part;
  /** Whether the machine knows workspaces. */
  #knows: Promise<unknown> | undefined;
  readonly #listeners = new Set<(event: RemoteEvent) => void>();

  constructor(connection: BrainConnection, part: Part) {
    this.#connection = connection;
    this.#part = part;
  }

  async call<const Name extends string>(
    name: Name,
    ...[input, options]: CallArguments<never, Name, RemoteCallOptions>
  ): Promise<CallResult<CallData<never, Name>>> {
    // The data is typed as this version of the tool has it. What was sent is another party's word, as all that a result says.
    return (await this.#run(name, input, undefined, options)).result as CallResult<CallData<never, Name>>;
  }

  /** Runs a call, with its events and the questions about it. */
  async #run(tool: string, input: unknown, dialect: string | undefined, options: RemoteCallOptions = {}): Promise<RemoteDialectResult> {
    const problem = optionsProblem(options);
    if (problem !== undefined) return refusedCall(tool, crypto.randomUUID(), problem);
    const { callId = crypto.randomUUID(), approver = this.#part.approver, workspace = this.#part.workspace } = options;
    using asked = approver === undefined ? undefined : new AskedHere(approver, input, (request, option) => this.approve(request, option));
    const whole = options.onOutput && this.#wholeOutput(callId, options.onOutput);
    this.#emit({ type: 'call-start', callId, tool, arguments: input });
    const made = await this.#connection.run(tool, input, dialect, {
      ...options,
      ...(workspace === undefined ? {} : { workspace }),
      callId,
      ...(whole === undefined ? {} : { onPiece: (piece) => whole.take(piece) }),
      quiet: whole === undefined && options.onProgress === undefined && this.#listeners.size === 0,
      onProgress: (progress) => {
        this.#emit({ type: 'call-progress', callId, tool, ...progress });
        tell(options.onProgress, progress);
      },
      onApproval: (request) => {
        asked?.take(request);
        tell(options.onApproval, request);
      },
    });
    await whole?.finish(options.signal);
    const { result } = made;
    const end = { type: 'call-end' as const, callId, tool, ok: result.ok, meta: result.meta };
    this.#emit(result.ok ? end : { ...end, error: result.error });
    return made;
  }

  #wholeOutput(callId: string, listener: (output: string) => void): WholeOutput {
    const read = (from: number, onHeard: () => void, signal: AbortSignal): Promise<string> =>
      this.#connection.read('output', callId, { from, onHeard, signal });
    return new WholeOutput(listener, read, this.#connection.silenceMs);
  }

  #emit(event: RemoteEvent): void {
    for (const listener of this.#listeners) tell(listener, event);
  }

  async #read(name: string, { signal }: RemoteReadOptions = {}): Promise<unknown> {
    const { workspace } = this.#part;
    if (workspace !== undefined) await (this.#knows ??= this.#names(signal).catch(this.#forget));
    const value: unknown = JSON.parse(await this.#connection.read('tools', name, { signal, workspace }));
    const refused = Refusal.safeParse(value);
    if (!refused.success) return value;
    const { code, message, hint } = refused.data.error;
    throw new SynapseError(code === 'denied' ? code : 'invalid_arguments', message, hint === undefined ? {} : { hint });
  }

  readonly #forget = (error: unknown): never => {
    this.#knows = undefined;
    throw error;
  };

  async #names(signal: AbortSignal | undefined): Promise<readonly string[]> {
    const read = Workspaces.safeParse(JSON.parse(await this.#connection.read('tools', 'workspaces', { signal })));
    if (read.success) return read.data.workspaces;
    throw OLD_MACHINE;
  }

  workspaces({ signal }: RemoteReadOptions = {}): Promise<readonly string[]> {
    return this.#names(signal);
  }

  inWorkspace(name: string): RemoteHands {
    return new HandsAtMachine(this.#connection, { ...this.#part, workspace: name, isWhole: false });
  }

  openCalls(): Promise<OpenRemoteCall[]> {
    return this.#connection.openCalls();
  }

  async resume(callId: string, options: Pick<RemoteCallOptions, 'signal' | 'onProgress' | 'onApproval'> = {}): Promise<CallResult> {
    return (await this.#connection.resume(callId, options)).result;
  }

  async tools<Format extends ToolFormat>(format: Format, options?: WriteOptions & RemoteReadOptions): Promise<ToolFormats[Format]> {
    const described = Described.parse(await this.#read('json-schema', options));
    return await remoteTools(described, (tool, input, given) => this.call(tool, input, given), format, options);
  }

  dialect(name: string): RemoteDialect {
    const call: RemoteDialect['call'] = (tool, input, options) => this.#run(tool, input, name, options);
    return {
      name,
      call,
      tools: async (format, options) => remoteTools(Described.parse(await this.#read(`json-schema:${name}`, options)), call, format, options),
    };
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

  output(callId: string, { from, signal }: RemoteOutputOptions = {}): Promise<string> {
    return this.#connection.read('output', callId, { from, signal });
  }

  async forwardPort(job: string, options: RemotePortOptions = {}): Promise<RemotePort> {
    const { abilities } = await this.about(options);
    if (abilities.includes('forward')) return await this.#connection.forwardPort(job, options, this.#part.workspace);
    throw new SynapseError('unavailable', 'The machine is of an earlier version, and cannot forward ports.', { hint: 'Update Synapse there.' });
  }

  async about(options?: RemoteReadOptions): Promise<RemoteAbout> {
    return RemoteAbout.parse(await this.#read('about', options));
  }

  approve(request: DataFrames['approval_request'], option: 'allow_once' | 'reject'): void {
    this.#connection.approve(request, option);
  }

  questions(listener: (request: DataFrames['approval_request']) => void): () => void {
    return this.#connection.questions(listener);
  }

  subscribe(listener: (event: RemoteEvent) => void): () => void {
    this.#listeners.add(listener);
    const unsubscribe = this.#connection.subscribe(listener);
    return () => {
      this.#listeners.delete(listener);
      unsubscribe();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#part.isWhole) await this.#connection[Symbol.asyncDispose]();
  }
}
