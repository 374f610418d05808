import type { SynapseError } from '@synapse/protocol';
import type { DataFrames } from '@synapse/protocol/remote';
import { failedCall, type RemoteCallOptions, type RemoteDialectResult } from './remote-hands.ts';
import { tell } from './tell.ts';

/** Options of a call at the connection. */
export interface ConnectionCallOptions extends RemoteCallOptions {
  /** Receives the pieces of output that arrive, with their offsets. */
  readonly onPiece?: (piece: DataFrames['tool_progress']) => void;
  /** Whether its progress has no receiver: then its output does not travel twice. */
  readonly quiet?: boolean;
}

interface Waiting {
  readonly tool: string;
  readonly options: ConnectionCallOptions;
  readonly settle: (result: RemoteDialectResult) => void;
}

/** The result of a call that failed here. */
export const refusedCall = (tool: string, id: string, error: SynapseError): RemoteDialectResult => ({
  output: `Error: ${error.message}`,
  isError: true,
  result: failedCall(tool, id, error),
});

/** The calls whose callers wait for an answer. */
export class WaitingCalls {
  readonly #all = new Map<string, Waiting[]>();

  has(id: string): boolean {
    return this.#all.has(id);
  }

  ids(): Iterable<string> {
    return this.#all.keys();
  }

  /** Waits for the answer of a call. @param settle gives another answer */
  add(
    tool: string,
    id: string,
    options: ConnectionCallOptions,
  ): { readonly answer: Promise<RemoteDialectResult>; readonly settle: Waiting['settle'] } {
    const { promise: answer, resolve: settle } = Promise.withResolvers<RemoteDialectResult>();
    this.#all.set(id, [...(this.#all.get(id) ?? []), { tool, options, settle }]);
    return { answer, settle };
  }

  /** Answers a call. Returns whether its caller waits. */
  settle(id: string, make: (tool: string) => RemoteDialectResult): boolean {
    const waiting = this.#all.get(id) ?? [];
    this.#all.delete(id);
    for (const { tool, settle } of waiting) settle(make(tool));
    return waiting.length > 0;
  }

  refuse(id: string, error: SynapseError): boolean {
    return this.settle(id, (tool) => refusedCall(tool, id, error));
  }

  hear(frame: DataFrames['approval_request' | 'tool_progress' | 'tool_accepted']): void {
    for (const { options } of this.#all.get(frame.tool_call_id) ?? []) {
      if (frame.type === 'approval_request') tell(options.onApproval, frame);
      else if (frame.type === 'tool_progress') {
        options.onPiece?.(frame);
        tell(options.onProgress, {
          ...(frame.data === '' ? {} : { output: frame.data }),
          ...(frame.message === undefined ? {} : { message: frame.message }),
        });
      }
    }
  }
}
