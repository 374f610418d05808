import * as z from 'zod';
import { GRANT_SCOPES, type GrantProposal } from '../policy/grant.ts';
import { MODES } from '../policy/modes.ts';
import { COMMAND_WAYS } from '../policy/command-route.ts';
import { VERDICTS } from '../policy/rule.ts';
import { RecordedChange } from '../workspace/changes/step.ts';

// The values that hands return besides results of calls, as they come from the process of a branch.

const EffectChange = z.strictObject({
  kind: z.enum(['created', 'changed', 'deleted', 'moved']),
  path: z.string(),
  from: z.string().exactOptional(),
  diff: z.string().exactOptional(),
  note: z.string().exactOptional(),
});
export const ShownChange = z.strictObject({ ...EffectChange.shape, current: z.boolean() });

const FoldedFolder = z.strictObject({
  path: z.string(),
  files: z.int(),
  bytes: z.number(),
  packages: z.strictObject({ added: z.int(), changed: z.int(), deleted: z.int() }),
  isIgnored: z.boolean().exactOptional(),
});
export const ShownEffect = z.strictObject({
  meaning: z.array(z.string()).exactOptional(),
  changes: z.array(EffectChange),
  asked: z.array(z.string()).exactOptional(),
  repositories: z.array(z.string()).exactOptional(),
  folded: z.array(FoldedFolder).exactOptional(),
  more: z.int(),
  omitted: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  cautions: z.array(z.string()),
  blocked: z.string().exactOptional(),
});

const LeftCall = z.strictObject({ call: z.string(), tool: z.string(), reason: z.string() });
export const UndoPlan = z.strictObject({
  calls: z.array(z.strictObject({ call: z.string(), tool: z.string(), session: z.string().nullable(), time: z.string() })),
  changes: z.array(RecordedChange),
  kept_folders: z.array(z.string()),
  protected: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  left: z.array(LeftCall),
  conflicts: z.array(z.string()),
  not_covered: z.array(z.string()),
});

export const PendingChanges = z.strictObject({
  handle: z.string(),
  command: z.string(),
  time: z.string(),
  why: z.string(),
  files: z.int(),
  bytes: z.number(),
});

const ShownRule = z.strictObject({
  rule: z.string(),
  verdict: z.enum(VERDICTS),
  layer: z.string(),
  origin: z.string(),
  reason: z.string().exactOptional(),
});
export const Explanation = z.strictObject({
  verdict: z.enum(VERDICTS),
  rule: ShownRule,
  reason: z.string(),
  mode: z.enum(MODES),
  outcome: z.string(),
  runs: z.strictObject({ way: z.enum(COMMAND_WAYS), reason: z.string(), asks: z.boolean() }).exactOptional(),
  accesses: z.array(z.strictObject({ access: z.string(), verdict: z.enum(VERDICTS), rule: ShownRule })),
  effects: z.strictObject({
    execs: z.array(z.strictObject({ words: z.array(z.string().nullable()), name: z.string().nullable(), doubts: z.array(z.string()) })),
    reads: z.array(z.string()),
    writes: z.array(z.string()),
    deletes: z.array(z.string()),
    possiblePaths: z.array(z.string()),
    net: z.array(z.string().nullable()),
    unknown: z.array(z.string()),
  }),
  tried: z.array(z.strictObject({ ...ShownRule.shape, access: z.string(), matched: z.boolean() })),
  exclude: z.array(z.string()),
});

export const QuarantinedFile = z.strictObject({
  path: z.string(),
  reason: z.string(),
  detail: z.string(),
  action: z.enum(['moved', 'deleted', 'reported', 'found']),
});

export const Trial = z.strictObject({
  fingerprint: z.string(),
  effect: ShownEffect,
  output: z.string(),
  completion: z.enum(['ok', 'failed', 'timeout']),
});

const Proposal: z.ZodType<GrantProposal> = z.strictObject({
  kind: z.enum(['exact', 'pattern']),
  rules: z.array(z.string()),
  covers: z.array(z.string()),
  doesNotCover: z.array(z.string()),
});

/** A question, without what runs its trial. */
export const AskedRequest = z.strictObject({
  callId: z.string(),
  sessionId: z.string().optional(),
  tool: z.string(),
  title: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  defaults: z.array(z.string()).exactOptional(),
  fingerprint: z.string(),
  reason: z.string(),
  effects: z.array(z.string()),
  changed: z.strictObject({ ...Trial.shape, headline: z.string(), network: z.boolean().exactOptional() }).exactOptional(),
  proposals: z.array(Proposal),
});

export const Answer = z.discriminatedUnion('verdict', [
  z.strictObject({
    verdict: z.literal('allow'),
    scope: z.enum(GRANT_SCOPES),
    proposal: Proposal.exactOptional(),
    effect: z.string().exactOptional(),
  }),
  z.strictObject({ verdict: z.literal('deny'), reason: z.string().exactOptional() }),
  z.strictObject({ verdict: z.literal('later') }),
]);

export const PersonForm = z.strictObject({
  server: z.string(),
  tool: z.string(),
  message: z.string(),
  schema: z.record(z.string(), z.unknown()),
  url: z.string().exactOptional(),
});
export const FilledForm = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('accept'), content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])) }),
  z.strictObject({ action: z.literal('decline') }),
  z.strictObject({ action: z.literal('cancel') }),
]);
