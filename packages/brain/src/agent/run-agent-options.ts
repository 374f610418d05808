import type { LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Approver } from '@synapse/hands';
import { assertGiven } from '@synapse/hands/internal';
import type { ToolCaller } from '@synapse/hands/providers';
import * as z from 'zod';
import type { ReasoningProtocol } from '../protocols/reasoning-protocol.ts';
import type { EvidenceCall } from '../report/claims/check-claims.ts';
import type { AgentEventListener } from './agent-event.ts';
import type { AgentSession } from './agent-session.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { AgentLimits, ModelPrice } from './spending.ts';

/** The content of a message of a person. */
export type TaskContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

/** Options of `runAgent`. */
export interface RunAgentOptions {
  /** Hands, a dialect of hands, or remote hands. */
  readonly hands: ToolCaller;
  readonly model: LanguageModelV4;
  /** The task, as text or with images and files. Default: continue the session. */
  readonly task?: string | TaskContent;
  readonly system: string;
  /** Default: a session in memory. */
  readonly session?: AgentSession;
  /** Default: 200 calls, one hour. */
  readonly limits?: AgentLimits;
  /** What this run spends together with others. Its limits count what all of them have spent. */
  readonly budget?: SharedBudget;
  /** Calls of earlier runs of this session that count toward the limit. Default: 0. */
  readonly callsBefore?: number;
  /** The price of tokens. Required for `limits.costUsd`. */
  readonly price?: ModelPrice | undefined;
  /** The context limit of the model in tokens. Default: 128,000. */
  readonly contextTokens?: number;
  /** Whether the model supports images. Default: true. */
  readonly images?: boolean;
  /** The protocol whose steps are inferred from the calls. */
  readonly protocol?: ReasoningProtocol;
  /** How the agent works, for the records. */
  readonly mode?: string;
  readonly approver?: Approver;
  readonly onEvent?: AgentEventListener;
  /** Returns messages of the user that came meanwhile, each once. Asked before each turn, and before the run ends. */
  readonly takeMessages?: () => ReadonlyArray<string | TaskContent>;
  /** The calls of the session so far, which the last text is checked against. Default: it is not checked. */
  readonly evidence?: ((session: AgentSession) => Promise<readonly EvidenceCall[]>) | undefined;
  readonly signal?: AbortSignal;
  /** Random numbers from 0 to 1, for back-off. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Infinity is a limit too. */
const amount = z.custom((value) => typeof value === 'number' && value >= 0, 'expected a number').optional();
const LIMITS: { readonly [Name in keyof Required<AgentLimits>]: z.ZodType } = { calls: amount, tokens: amount, costUsd: amount, timeMs: amount };
const any = z.unknown().optional();

const FIELDS: { readonly [Name in keyof Required<RunAgentOptions>]: z.ZodType } = {
  hands: z.custom((value) => typeof value === 'object' && value !== null && 'call' in value, 'expected hands'),
  model: z.custom((value) => typeof value === 'object' && value !== null && 'doStream' in value, 'expected a model, such as await openModel(name)'),
  task: any,
  system: z.string(),
  session: any,
  limits: z.strictObject(LIMITS).optional(),
  budget: any,
  callsBefore: amount,
  price: any,
  contextTokens: amount,
  images: z.boolean().optional(),
  protocol: any,
  mode: z.string().optional(),
  approver: any,
  onEvent: any,
  takeMessages: any,
  evidence: any,
  signal: z.instanceof(AbortSignal).optional(),
  random: any,
};
const SCHEMA = z.strictObject(FIELDS);

/**
 * Checks the options of a run from a program that may have no types: with a misspelled limit, it would spend without one.
 *
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export const assertRunOptions = (given: unknown): void => assertGiven('runAgent', 'options', SCHEMA, given);
