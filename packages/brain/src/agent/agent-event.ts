import type { ApprovalRequest } from '@synapse/hands';
import type { Progress } from '@synapse/protocol';
import type { AgentResult } from './agent-result.ts';
import type { ReachedStep } from './protocol-steps.ts';
import type { Spending } from './spending.ts';

/** Events of a run. */
export type AgentEvent =
  | { readonly type: 'session'; readonly sessionId: string; readonly model: string; readonly resumed: boolean }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The turn is requested again; text of the turn so far does not count. */
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'call-start'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | ({ readonly type: 'call-progress'; readonly callId: string } & Progress)
  | {
      readonly type: 'call-end';
      readonly callId: string;
      readonly tool: string;
      readonly ok: boolean;
      /** How what it ran ended: a call can succeed in running a command that fails. */
      readonly completion: 'ok' | 'failed' | 'timeout';
      /** One line: the request and its outcome. */
      readonly summary: string;
      /** For a failed call: the first line of the error that the model reads. */
      readonly error?: string;
      readonly durationMs: number;
    }
  | { readonly type: 'approval-request'; readonly request: ApprovalRequest }
  | { readonly type: 'approval-answer'; readonly callId: string; readonly verdict: string }
  | ({ readonly type: 'step' } & ReachedStep)
  /** After each turn of the model. */
  | { readonly type: 'usage'; readonly total: Spending }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'done'; readonly result: AgentResult };

/** Receives the events of a run, in order. */
export type AgentEventListener = (event: AgentEvent) => void;
