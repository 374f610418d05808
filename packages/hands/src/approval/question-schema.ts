import type { FilledForm, PersonForm } from '@synapse/protocol';
import * as z from 'zod';
import type { EffectChange, ShownEffect } from '../dry-run/show-effect.ts';
import type { GrantProposal } from '../policy/grant.ts';
import type { ApprovalRequest, AskedChanges, Trial } from './approver.ts';

// Questions and answers, as one process sends them to another: to an open window, and out of a branch.

/** A schema with all fields of a type: another process would not get one that is missing here. */
type Whole<Value> = z.ZodType<Value> & { readonly shape: Record<keyof Value, z.ZodType> };

/** A question without what cannot be sent. */
export type SentQuestion = Omit<ApprovalRequest, 'tryOut' | 'sessionId'> & { readonly sessionId?: string };

export const EffectChangeSchema = z.object({
  kind: z.enum(['created', 'changed', 'deleted', 'moved']),
  path: z.string(),
  from: z.string().exactOptional(),
  diff: z.string().exactOptional(),
  note: z.string().exactOptional(),
  lines: z.object({ added: z.int(), removed: z.int() }).exactOptional(),
}) satisfies Whole<EffectChange>;

export const EffectSchema = z.object({
  meaning: z.array(z.string()).exactOptional(),
  changes: z.array(EffectChangeSchema),
  asked: z.array(z.string()).exactOptional(),
  repositories: z.array(z.string()).exactOptional(),
  folded: z
    .array(
      z.object({
        path: z.string(),
        files: z.int(),
        bytes: z.number(),
        packages: z.object({ added: z.int(), changed: z.int(), deleted: z.int() }),
        isIgnored: z.boolean().exactOptional(),
      }) satisfies Whole<NonNullable<ShownEffect['folded']>[number]>,
    )
    .exactOptional(),
  more: z.int(),
  omitted: z.array(z.object({ path: z.string(), reason: z.string() })),
  cautions: z.array(z.string()),
  blocked: z.string().exactOptional(),
}) satisfies Whole<ShownEffect>;

export const TrialSchema = z.object({
  fingerprint: z.string(),
  effect: EffectSchema,
  output: z.string(),
  completion: z.enum(['ok', 'failed', 'timeout']),
}) satisfies Whole<Trial>;

export const ProposalSchema = z.object({
  kind: z.enum(['exact', 'pattern']),
  rules: z.array(z.string()),
  covers: z.array(z.string()),
  doesNotCover: z.array(z.string()),
}) satisfies Whole<GrantProposal>;

export const QuestionSchema = z.object({
  callId: z.string(),
  sessionId: z.string().exactOptional(),
  tool: z.string(),
  title: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  defaults: z.array(z.string()).exactOptional(),
  fingerprint: z.string(),
  reason: z.string(),
  effects: z.array(z.string()),
  changed: (
    z.object({ ...TrialSchema.shape, headline: z.string(), network: z.boolean().exactOptional() }) satisfies Whole<AskedChanges>
  ).exactOptional(),
  onlyChanges: z.boolean().exactOptional(),
  proposals: z.array(ProposalSchema),
}) satisfies Whole<SentQuestion>;

export const FormSchema = z.object({
  server: z.string(),
  tool: z.string(),
  message: z.string(),
  schema: z.record(z.string(), z.unknown()),
  url: z.string().exactOptional(),
}) satisfies Whole<PersonForm>;

export const FilledSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])) }),
  z.object({ action: z.literal('decline') }),
  z.object({ action: z.literal('cancel') }),
]) satisfies z.ZodType<FilledForm>;
