import type { LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Approver } from '@synapse/hands';
import { given } from '@synapse/hands/internal';
import type { ToolCaller } from '@synapse/hands/providers';
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

const { amount, anything, fields, flag, maybeFields, optional, signal, text, withMethods } = given;

const LIMITS: { readonly [Name in keyof Required<AgentLimits>]: given.Check } = {
  calls: optional(amount),
  tokens: optional(amount),
  costUsd: optional(amount),
  timeMs: optional(amount),
};

const OPTIONS: { readonly [Name in keyof Required<RunAgentOptions>]: given.Check } = {
  hands: withMethods('hands', 'call'),
  model: withMethods('a model, such as await openModel(name)', 'doStream'),
  task: anything,
  system: text,
  session: anything,
  limits: maybeFields(LIMITS),
  budget: anything,
  callsBefore: optional(amount),
  price: anything,
  contextTokens: optional(amount),
  images: optional(flag),
  protocol: anything,
  mode: optional(text),
  approver: anything,
  onEvent: anything,
  takeMessages: anything,
  evidence: anything,
  signal: optional(signal),
  random: anything,
};
const CHECK = fields(OPTIONS);

/**
 * Checks the options of a run from a program that may have no types: with a misspelled limit, it would spend without one.
 *
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export const assertRunOptions = (options: unknown): void => given.assertGiven('runAgent', 'options', CHECK, options);
