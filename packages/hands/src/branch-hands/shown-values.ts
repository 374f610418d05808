import * as z from 'zod';
import { EffectChangeSchema, ProposalSchema } from '../approval/question-schema.ts';
import { GRANT_SCOPES } from '../policy/grant.ts';
import { MODES } from '../policy/modes.ts';
import { COMMAND_WAYS } from '../policy/command-route.ts';
import { VERDICTS } from '../policy/rule.ts';
import { RecordedChange } from '../workspace/changes/step.ts';

// The values that hands return besides results of calls, as they come from the process of a branch.

export const ShownChange = z.strictObject({ ...EffectChangeSchema.shape, current: z.boolean() });

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

export const Answer = z.discriminatedUnion('verdict', [
  z.strictObject({
    verdict: z.literal('allow'),
    scope: z.enum(GRANT_SCOPES),
    proposal: ProposalSchema.exactOptional(),
    effect: z.string().exactOptional(),
  }),
  z.strictObject({ verdict: z.literal('deny'), reason: z.string().exactOptional() }),
  z.strictObject({ verdict: z.literal('later') }),
]);
