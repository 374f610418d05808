import type { AvailableCommand, ContentBlock, PlanEntry, StopReason, ToolCallLocation, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import type { ShownChange } from './file-changes.ts';

// What a session shows, in no version of the protocol. The types of the SDK used here are those that all versions write in the same way.

/** Text or an image. */
export type Block = Extract<ContentBlock, { type: 'text' | 'image' }>;

/** Content of a call. */
export type CallContent = { readonly type: 'block'; readonly block: Block } | { readonly type: 'changes'; readonly changes: readonly ShownChange[] };

/** The facts about a call that both its start and a question show. */
export interface CallFacts {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  readonly rawInput: unknown;
}

/** A call, or what changed of it. */
export interface ShownCall extends Partial<CallFacts> {
  readonly callId: string;
  readonly status: ToolCallStatus;
  readonly content?: readonly CallContent[];
  readonly rawOutput?: unknown;
}

/** Why a session is idle: the end of a prompt, or a failure. */
export interface Ending {
  readonly stopReason: StopReason | 'error';
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a session does. Before its first prompt, it is idle without an ending. */
export type Activity = { readonly state: 'running' | 'requires_action' } | ({ readonly state: 'idle' } & Partial<Ending>);

/** One thing that a session shows. */
export type Shown =
  /** A piece of a message. `replaces`: the first piece of a message that the editor may have already. */
  | {
      readonly kind: 'text';
      readonly from: 'user' | 'agent' | 'thought';
      readonly messageId: string;
      readonly content: Block;
      readonly replaces?: boolean;
    }
  /** A prompt that was taken, as the editor sent it. */
  | { readonly kind: 'prompt'; readonly messageId: string; readonly content: readonly ContentBlock[] }
  | { readonly kind: 'call-start'; readonly call: ShownCall & CallFacts }
  | { readonly kind: 'call-update'; readonly call: ShownCall }
  | { readonly kind: 'plan'; readonly planId: string; readonly entries: PlanEntry[] }
  | { readonly kind: 'commands'; readonly commands: readonly AvailableCommand[] }
  | { readonly kind: 'activity'; readonly activity: Activity };
