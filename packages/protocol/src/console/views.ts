import * as z from 'zod';
import { ConsoleChange } from './calls.ts';

/** A tool that users can try. */
export const ConsoleTool = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  effects: z.string(),
  /** A JSON Schema of an object. */
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ConsoleTool = z.infer<typeof ConsoleTool>;

/** The changes of a session that were not undone. */
export const ConsoleSessionChanges = z.strictObject({
  /** Null for calls without a session. */
  session: z.string().nullable(),
  /** The task of the session, if a model worked on one. */
  title: z.string().optional(),
  /** Some of the changed files. */
  paths: z.array(z.string()),
  calls: z.int(),
  /** Time of the last call, in milliseconds since 1970. */
  time: z.number(),
});
export type ConsoleSessionChanges = z.infer<typeof ConsoleSessionChanges>;

/** What an undo would do. */
export const ConsoleUndoPlan = z.strictObject({
  calls: z.array(z.strictObject({ call: z.string(), tool: z.string(), time: z.string() })),
  changes: z.array(z.strictObject({ kind: z.string(), path: z.string(), to: z.string().optional() })),
  keptFolders: z.array(z.string()),
  /** Why it is impossible; empty if it is possible. */
  conflicts: z.array(z.string()),
  notCovered: z.array(z.string()),
});
export type ConsoleUndoPlan = z.infer<typeof ConsoleUndoPlan>;

/** Changes that would be made. */
export const ConsoleEffect = z.strictObject({
  /** What the changes mean, one sentence each. */
  meaning: z.array(z.string()),
  changes: z.array(ConsoleChange),
  /** What would happen to commits, branches and tags, and to other data of git, one line each. */
  repositories: z.array(z.string()),
  more: z.int(),
  omitted: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  cautions: z.array(z.string()),
  blocked: z.string().optional(),
});
export type ConsoleEffect = z.infer<typeof ConsoleEffect>;

/** Changes of a command that wait for approval. */
export const ConsolePending = z.strictObject({
  handle: z.string(),
  command: z.string(),
  time: z.string(),
  why: z.string(),
  files: z.int(),
  bytes: z.number(),
});
export type ConsolePending = z.infer<typeof ConsolePending>;

export const ConsoleQuarantine = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), path: z.string(), reason: z.string(), detail: z.string(), time: z.string() })),
  /** Why commands are locked. */
  locked: z.string().optional(),
});
export type ConsoleQuarantine = z.infer<typeof ConsoleQuarantine>;

export const ConsoleProject = z.strictObject({
  root: z.string(),
  added: z.number(),
  trusted: z.boolean(),
  exists: z.boolean(),
  current: z.boolean(),
});
export type ConsoleProject = z.infer<typeof ConsoleProject>;

/** What trusting a project would start and allow. */
export const ConsoleProjectReview = z.strictObject({
  starts: z.array(z.strictObject({ name: z.string(), origin: z.string(), lines: z.array(z.string()) })),
  /** The text of its configuration. */
  configuration: z.string().optional(),
  problems: z.array(z.string()),
  /** Named by the answer, so that only what was shown is trusted. */
  fingerprint: z.string(),
});
export type ConsoleProjectReview = z.infer<typeof ConsoleProjectReview>;

/** A change of a configuration that was not written yet. */
export const ConsoleProposal = z.strictObject({
  file: z.string(),
  /** Empty if nothing changes. */
  diff: z.string(),
  /** Whether the file may allow something, and not only forbid. */
  counts: z.boolean(),
  /** Named by the answer, so that only what was shown is written. */
  fingerprint: z.string(),
});
export type ConsoleProposal = z.infer<typeof ConsoleProposal>;

const Rule = z.strictObject({ verdict: z.string(), rule: z.string(), layer: z.string(), origin: z.string(), reason: z.string().optional() });

export const ConsoleMode = z.enum(['read-only', 'ask', 'auto-edit', 'trusted']);

export const ConsolePolicy = z.strictObject({
  mode: z.string(),
  modeOrigin: z.string(),
  /** All modes, with what each answers where no rule matches. */
  modes: z.array(
    z.strictObject({ mode: ConsoleMode, meaning: z.string(), answers: z.array(z.strictObject({ calls: z.string(), answer: z.string() })) }),
  ),
  rules: z.array(Rule.extend({ expiresAt: z.number().optional() })),
  grants: z.array(
    z.strictObject({ scope: z.string(), tool: z.string(), rules: z.array(z.string()), grantedAt: z.number(), expiresAt: z.number().optional() }),
  ),
  notices: z.array(z.string()),
});
export type ConsolePolicy = z.infer<typeof ConsolePolicy>;

/** The rules that the configuration of the project contains now; a console that runs may not use them yet. */
export const ConsoleConfiguredRules = z.strictObject({
  file: z.string(),
  rules: z.array(z.strictObject({ verdict: z.enum(['allow', 'ask', 'deny']), rule: z.string() })),
});
export type ConsoleConfiguredRules = z.infer<typeof ConsoleConfiguredRules>;

/** The decision of the policy on a call, and the reason. */
export const ConsoleExplanation = z.strictObject({
  verdict: z.string(),
  reason: z.string(),
  mode: z.string(),
  rule: Rule,
  accesses: z.array(z.strictObject({ access: z.string(), verdict: z.string(), rule: z.string(), origin: z.string() })),
  tried: z.array(z.strictObject({ rule: z.string(), verdict: z.string(), origin: z.string(), access: z.string(), matched: z.boolean() })),
  outcome: z.string(),
});
export type ConsoleExplanation = z.infer<typeof ConsoleExplanation>;

export const ConsoleServer = z.strictObject({
  name: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  target: z.string(),
  origin: z.string(),
  wants: z.array(z.string()),
  tools: z.array(z.string()),
  pendingReview: z.array(z.strictObject({ name: z.string(), kind: z.string(), difference: z.array(z.string()), hash: z.string() })),
  problems: z.array(z.string()),
});
export type ConsoleServer = z.infer<typeof ConsoleServer>;

/** A check and the time of each step. */
export const ConsoleCheck = z.strictObject({
  check: z.enum(['read', 'protocol', 'errors']),
  ok: z.boolean(),
  ms: z.number(),
  steps: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), ms: z.number(), detail: z.string() })),
});
export type ConsoleCheck = z.infer<typeof ConsoleCheck>;

export const ConsoleProtocolInfo = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  steps: z.int(),
  offline: z.boolean(),
});
export type ConsoleProtocolInfo = z.infer<typeof ConsoleProtocolInfo>;
