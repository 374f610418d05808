import * as z from 'zod';
import { DryRun, SandboxTier } from '../result.ts';
import { ConsoleFormContent, ConsoleTrial } from './approvals.ts';
import { ConsoleApplied, ConsoleBranch, ConsoleBranchEffect, ConsoleShownConflict } from './branches.ts';
import { ConsoleCall, ConsoleCallDetail, ConsoleChange, ConsoleTimeline } from './calls.ts';
import { ConsoleBlame, ConsolePastCall, ConsolePastChanges, ConsolePastFile, ConsolePastFolder } from './past.ts';
import { ConsoleRun, ConsoleTranscript } from './runs.ts';
import {
  ConsoleCheck,
  ConsoleEffect,
  ConsoleExplanation,
  ConsoleMode,
  ConsolePending,
  ConsolePolicy,
  ConsoleProject,
  ConsoleProjectReview,
  ConsoleConfiguredRules,
  ConsoleProposal,
  ConsoleProtocolInfo,
  ConsoleQuarantine,
  ConsoleServer,
  ConsoleSessionChanges,
  ConsoleTool,
  ConsoleUndoPlan,
} from './views.ts';

const id = z.string().min(1).max(300);
const text = z.string().max(2_000_000);
const path = z.string().min(1).max(4096);
const nothing = z.strictObject({});
const done = z.strictObject({ message: z.string() });
/** One call, or all calls of a session. */
const selection = z.strictObject({ call: id.optional(), session: id.optional() });
/** The workspace right before or after a call. */
const moment = { call: id, side: z.enum(['before', 'after']) };

const rules = z.array(z.string().min(1).max(2_000)).max(100).optional();
const ruleLists = { allow: rules, ask: rules, deny: rules };
/** Permissions to add to the configuration of a project, and rules to remove from it. */
const permissions = z.strictObject({ mode: ConsoleMode.optional(), ...ruleLists, remove: z.strictObject(ruleLists).optional() });

/** The result of a call made by a user. */
export const ConsoleToolResult = z.strictObject({
  ok: z.boolean(),
  callId: z.string(),
  summary: z.string(),
  ms: z.number(),
  /** The output a model would get. */
  output: z.string(),
  images: z.int(),
  code: z.string().optional(),
  sandbox: SandboxTier.optional(),
  dryRun: DryRun.optional(),
  changes: z.array(ConsoleChange),
});
export type ConsoleToolResult = z.infer<typeof ConsoleToolResult>;

/** All requests of a page, with their parameters and results. */
export const CONSOLE_METHODS = {
  'calls.get': { params: z.strictObject({ call: id }), result: ConsoleCallDetail },
  'calls.find': { params: z.strictObject({ session: id, tool: id.optional(), path: z.string().max(4096).optional() }), result: z.array(ConsoleCall) },
  'approvals.answer': {
    params: z.strictObject({
      id,
      fingerprint: id,
      verdict: z.enum(['allow', 'deny']),
      scope: z.enum(['once', 'session', 'project']).default('once'),
      /** Index of the proposal to remember. */
      proposal: z.int().min(0).optional(),
      /** Fingerprint of the trial whose changes to apply. */
      effect: id.optional(),
      /** Reason shown to the model. */
      reason: z.string().max(2_000).optional(),
    }),
    result: done,
  },
  'approvals.try': { params: z.strictObject({ id }), result: ConsoleTrial },
  'forms.answer': {
    params: z.strictObject({ id, action: z.enum(['accept', 'decline', 'cancel']), content: ConsoleFormContent.optional() }),
    /** Problems by field name, if the form is still open. */
    result: z.strictObject({ message: z.string().optional(), problems: z.record(z.string(), z.string()).optional() }),
  },
  'jobs.output': {
    params: z.strictObject({ id, from: z.int().min(0) }),
    result: z.strictObject({ text: z.string(), next: z.int(), end: z.int(), ended: z.boolean() }),
  },
  'jobs.input': { params: z.strictObject({ id, text: z.string().max(64_000), eof: z.boolean().default(false) }), result: done },
  'jobs.stop': { params: z.strictObject({ id }), result: done },
  'jobs.detach': { params: z.strictObject({ id }), result: done },
  'runs.protocols': {
    params: nothing,
    result: z.strictObject({ protocols: z.array(ConsoleProtocolInfo), problem: z.string().optional(), models: z.array(z.string()) }),
  },
  'runs.start': {
    params: z.strictObject({
      /** Exactly one of the two. */
      protocol: id.optional(),
      task: text.optional(),
      /** Default: analysis without a model. */
      model: z.string().max(200).optional(),
      baseUrl: z.string().max(2_000).optional(),
      /** US dollars per million tokens. */
      price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
    }),
    result: ConsoleRun,
  },
  'runs.transcript': {
    params: z.strictObject({
      id,
      /** The end of the part. Default: the newest entries. */
      end: z.int().min(0).optional(),
      /** Return only entries that changed after this revision. */
      since: z.int().min(0).optional(),
    }),
    result: ConsoleTranscript,
  },
  /** The calls of a run, from the audit log, so also of other processes. */
  'runs.timeline': {
    params: z.strictObject({ id, /** Only calls before this position in the log. Default: the newest. */ before: z.int().min(0).optional() }),
    result: ConsoleTimeline,
  },
  /** Says something to the model: before its next turn if it runs, or as the next task if it ended. */
  'runs.say': { params: z.strictObject({ id, text: z.string().min(1).max(100_000) }), result: done },
  'runs.hold': { params: z.strictObject({ id }), result: done },
  'runs.resume': { params: z.strictObject({ id }), result: done },
  'runs.stop': { params: z.strictObject({ id }), result: done },
  'runs.retry': { params: z.strictObject({ id }), result: ConsoleRun },
  'tools.list': { params: nothing, result: z.array(ConsoleTool) },
  'tools.call': {
    params: z.strictObject({ tool: id, input: z.record(z.string(), z.unknown()), dryRun: z.boolean() }),
    result: ConsoleToolResult,
  },
  'files.read': { params: z.strictObject({ path: z.string().max(4096) }), result: z.strictObject({ path: z.string(), text: z.string() }) },
  'checks.run': { params: z.strictObject({ check: z.enum(['read', 'protocol', 'errors']) }), result: ConsoleCheck },
  'changes.sessions': { params: nothing, result: z.array(ConsoleSessionChanges) },
  'changes.list': { params: selection, result: z.array(ConsoleChange) },
  'changes.plan': { params: selection, result: ConsoleUndoPlan },
  'changes.undo': { params: selection, result: done },
  /** The newest calls of a session, oldest first. */
  'past.calls': { params: z.strictObject({ session: id }), result: z.array(ConsolePastCall) },
  'past.list': { params: z.strictObject({ ...moment, path }), result: ConsolePastFolder },
  'past.read': { params: z.strictObject({ ...moment, path }), result: ConsolePastFile },
  /** Who wrote each line of a file. */
  'past.lines': { params: z.strictObject({ path }), result: ConsoleBlame },
  'past.changes': { params: z.strictObject(moment), result: ConsolePastChanges },
  'branches.list': { params: nothing, result: z.array(ConsoleBranch) },
  'branches.show': { params: z.strictObject({ name: id }), result: ConsoleBranchEffect },
  /** What would have to change in a branch to get the other one. */
  'branches.compare': { params: z.strictObject({ name: id, other: id }), result: ConsoleEffect },
  'branches.apply': {
    params: z.strictObject({
      name: id,
      /** Default: all */
      paths: z.array(path).min(1).max(1_000).optional(),
      /** Of these files, only some hunks: their numbers, and their texts as the page shows them. */
      hunks: z
        .array(z.strictObject({ path, take: z.array(z.int().min(1)).min(1).max(10_000), seen: z.array(text).max(10_000) }))
        .max(1_000)
        .optional(),
    }),
    result: ConsoleApplied,
  },
  'branches.conflict': { params: z.strictObject({ name: id, path }), result: ConsoleShownConflict },
  /** Chooses what counts of a conflict when the branch is applied. */
  'branches.resolve': {
    params: z.strictObject({
      name: id,
      path,
      /** A version, or a side for each place that both changed, in order: the lines that one side changed are merged. */
      take: z.union([
        z.enum(['branch', 'workspace']),
        z
          .array(z.enum(['branch', 'workspace', 'both']))
          .min(1)
          .max(10_000),
      ]),
    }),
    result: done,
  },
  /** All calls in a branch. */
  'branches.timeline': { params: z.strictObject({ name: id, before: z.int().min(0).optional() }), result: ConsoleTimeline },
  'branches.drop': { params: z.strictObject({ name: id }), result: done },
  'pending.list': { params: nothing, result: z.array(ConsolePending) },
  'pending.show': { params: z.strictObject({ handle: id }), result: ConsoleEffect },
  'pending.apply': { params: z.strictObject({ handle: id }), result: done },
  'pending.drop': { params: z.strictObject({ handle: id }), result: done },
  'quarantine.list': { params: nothing, result: ConsoleQuarantine },
  'quarantine.restore': { params: z.strictObject({ id }), result: done },
  'quarantine.discard': { params: z.strictObject({ id }), result: done },
  'quarantine.unlock': { params: nothing, result: done },
  'projects.list': { params: nothing, result: z.array(ConsoleProject) },
  'projects.review': { params: z.strictObject({ root: z.string().max(4096) }), result: ConsoleProjectReview },
  'projects.trust': { params: z.strictObject({ root: z.string().max(4096), fingerprint: id }), result: done },
  'projects.distrust': { params: z.strictObject({ root: z.string().max(4096) }), result: done },
  'settings.rules': { params: nothing, result: ConsoleConfiguredRules },
  'settings.propose': { params: permissions, result: ConsoleProposal },
  'settings.write': { params: permissions.extend({ fingerprint: id }), result: done },
  'policy.report': { params: nothing, result: ConsolePolicy },
  'policy.explain': { params: z.strictObject({ tool: id, input: z.record(z.string(), z.unknown()) }), result: ConsoleExplanation },
  'policy.revoke': { params: z.strictObject({ number: z.int().min(1), rules: z.array(z.string()) }), result: done },
  'servers.list': {
    params: nothing,
    result: z.strictObject({
      servers: z.array(ConsoleServer),
      problems: z.array(z.string()),
      /** Connections to remote brains, opened with `synapse connect`. */
      remotes: z.array(z.strictObject({ session: z.string(), connected: z.boolean(), time: z.number() })),
    }),
  },
  'servers.test': { params: z.strictObject({ name: id }), result: ConsoleServer },
  'servers.approve': { params: z.strictObject({ name: id, hashes: z.array(z.string()) }), result: ConsoleServer },
  'access.link': { params: nothing, result: z.strictObject({ url: z.string() }) },
} as const;

export type ConsoleMethod = keyof typeof CONSOLE_METHODS;
/** The parameters of a request. */
export type ConsoleParams<Method extends ConsoleMethod> = z.input<(typeof CONSOLE_METHODS)[Method]['params']>;
/** The result of a request. */
export type ConsoleResult<Method extends ConsoleMethod> = z.output<(typeof CONSOLE_METHODS)[Method]['result']>;
