import type { PermissionAction } from '@synapse/protocol';
import { commandRoute, widestRoute, type CommandRoute } from './command-route.ts';
import type { Decision, JudgedPart, PolicyCall, Trial } from './decision.ts';
import { deferToEffects } from './defer.ts';
import { emptyEffects, type Effects, type Exec, type PathEffect } from './effects.ts';
import { GUARD_MEANINGS, isHarmlessDevice, readGuard, writeGuard, type Guard } from './guarded-paths.ts';
import { canonicalHost } from './host-pattern.ts';
import { irreversibleGit } from './irreversible-git.ts';
import { locate } from './location.ts';
import { MODE_VERDICTS } from './modes.ts';
import type { Part, PathPart } from './part.ts';
import type { Policy } from './policy.ts';
import type { Reach, Rule, RuleReference } from './rule.ts';
import { shellEffects } from './shell-effects.ts';
import { isStricter, type Verdict } from './verdict.ts';

interface Judging {
  readonly policy: Policy;
  readonly call: PolicyCall;
  readonly tried: Trial[];
  readonly trace: boolean;
  /** By which reach each command was allowed, by its index. */
  readonly owners: Array<Reach | undefined>;
  /** How far one rule, or the mode, covers the command as a whole, whatever it does. */
  whole: Reach | undefined;
  /** The rule that holds exactly this command. */
  wholeRule: Rule | undefined;
  /** Which way the command runs, where that is known. */
  route: CommandRoute | undefined;
}

const NO_EXCLUSIONS: readonly string[] = [];

function modeRule(judging: Judging, action: PermissionAction): RuleReference {
  const { mode, modeOrigin } = judging.policy;
  const verdict = MODE_VERDICTS[mode][action];
  // Outside a sandbox nothing holds a command but a person's yes.
  const unconfined = action === 'exec' && verdict === 'allow' && judging.call.confined !== true;
  return {
    text: `mode ${mode}: ${action}${unconfined ? ' without a sandbox' : ''}`,
    verdict: unconfined ? 'ask' : verdict,
    layer: 'mode',
    origin: modeOrigin,
  };
}

function guardRule(guard: Guard): RuleReference {
  return { text: `built-in: ${guard}`, verdict: 'ask', layer: 'built-in', origin: 'Synapse', reason: GUARD_MEANINGS[guard] };
}

function find(judging: Judging, rules: readonly Rule[], part: Part, accept?: (rule: Rule) => boolean): { rule: Rule; surely: boolean } | undefined {
  let found: { rule: Rule; surely: boolean } | undefined;
  for (const rule of rules) {
    if (rule.expiresAt !== undefined && rule.expiresAt <= judging.policy.now()) continue;
    const coverage = rule.covers(part, judging.call.tool);
    const matched = coverage !== 'no' && (accept === undefined || accept(rule));
    if (matched || judging.trace) judging.tried.push({ rule, part, matched });
    if (!matched) continue;
    if (found === undefined || (!found.surely && (coverage === 'yes' || found.rule.layer === 'built-in')))
      found = { rule, surely: coverage === 'yes' };
    if (found.surely && !judging.trace) break;
  }
  return found;
}

function judged(part: Part, rule: RuleReference, verdict: Verdict = rule.verdict): JudgedPart {
  return { part, verdict, rule };
}

/** What deny and ask rules say; undefined where none matches. A mode that refuses is not overruled by a rule that asks. */
function judgeStrict(judging: Judging, part: Part, mode?: RuleReference): JudgedPart | undefined {
  const strict = judgeRules(judging, part);
  return mode?.verdict === 'deny' && strict?.verdict !== 'deny' ? judged(part, mode) : strict;
}

function judgeRules(judging: Judging, part: Part): JudgedPart | undefined {
  const { policy, call } = judging;
  const denied = find(judging, policy.denying, part);
  if (denied?.surely === true) return judged(part, denied.rule);
  const asked = find(judging, policy.asking, part);
  if (asked?.surely === true) return judged(part, asked.rule);
  const doubtful = denied !== undefined && denied.rule.layer !== 'built-in' ? denied : asked;
  // Inside the sandbox what is denied below a folder is not there at all.
  // Synapse's own folder may lie anywhere: that alone is no reason to ask about every folder.
  if (doubtful === undefined || (call.confined === true && (part.kind === 'read' || part.kind === 'mention'))) return undefined;
  return judged(part, doubtful.rule, 'ask');
}

function guardOf(part: PathPart, confined: boolean): Guard | undefined {
  const { location } = part;
  if (part.kind === 'mention') return readGuard(location) === 'secret' ? 'secret' : writeGuard(location) === 'protected' ? 'protected' : undefined;
  if (isHarmlessDevice(location)) return undefined;
  if (part.kind !== 'read') return location.inside && location.path === '' && part.tree ? 'workspace' : writeGuard(location);
  const guard = readGuard(location);
  // Walking a folder reads the secrets in it, unless the sandbox hides them.
  return guard === undefined && part.tree && !confined ? 'secret' : guard;
}

const PART_ACTIONS: Record<PathPart['kind'], PermissionAction> = { read: 'read', write: 'write', delete: 'write', mention: 'read' };

function judgePath(judging: Judging, part: PathPart): JudgedPart {
  const mode = modeRule(judging, PART_ACTIONS[part.kind]);
  const strict = judgeStrict(judging, part, isHarmlessDevice(part.location) ? undefined : mode);
  if (strict !== undefined) return strict;
  const owner = judging.whole ?? (part.exec === undefined ? undefined : judging.owners[part.exec]);
  const guard = guardOf(part, judging.call.confined === true);
  if (guard !== undefined) {
    const opened = find(judging, judging.policy.allowing, part, (rule) => rule.opensGuarded || (guard === 'outside' && rule.reach === 'pattern'));
    if (opened !== undefined) return judged(part, opened.rule);
    const byOwner = owner === 'exact' || (owner === 'blanket' && guard === 'outside');
    return byOwner
      ? judged(part, { ...modeRule(judging, 'read'), text: 'the command itself is allowed', verdict: 'allow' })
      : judged(part, guardRule(guard));
  }
  const allowed = find(judging, judging.policy.allowing, part);
  if (allowed !== undefined) return judged(part, allowed.rule);
  if (owner !== undefined || part.kind === 'mention' || isHarmlessDevice(part.location)) {
    return judged(part, { ...mode, text: 'the command itself is judged', verdict: 'allow' });
  }
  return judged(part, mode);
}

/** What is not understood may be what is denied; only a sandbox would stop it then. */
function isRisky({ policy, call }: Judging, reach: Reach): boolean {
  return reach !== 'exact' && policy.deniesResources && call.confined !== true;
}

const BUILT_IN_ASK = { verdict: 'ask', layer: 'built-in', origin: 'Synapse' } as const;

/** No rule that was written with a sandbox in mind says anything about a command without one. */
const NOT_SANDBOXED: RuleReference = {
  ...BUILT_IN_ASK,
  text: 'built-in: not sandboxed',
  reason: 'no sandbox works here, so it could do whatever you can; --sandbox none stops these questions',
};

/** What a git command takes away that nothing gives back; undefined where undo covers it, as it does a transaction. */
function lossOf(exec: Exec, { call, route }: Judging): string | undefined {
  if (call.ground === undefined || exec.name !== 'git') return undefined;
  const covered = route?.way === 'transaction' || route?.way === 'reader';
  return [exec.words, ...exec.forms].map((words) => irreversibleGit(words, covered)).find((loss) => loss !== undefined);
}

/** Judges a command; the index is its place among the commands of the call. */
function judgeExec(judging: Judging, part: Extract<Part, { kind: 'exec' }>, index: number): JudgedPart {
  const mode = modeRule(judging, 'exec');
  const strict = judgeStrict(judging, part, mode);
  const { doubts } = part.exec;
  const accept = (rule: Rule): boolean => doubts.length === 0 || (rule.reach !== 'pattern' && !isRisky(judging, rule.reach));
  const allowed = find(judging, judging.policy.allowing, part, accept)?.rule ?? judging.wholeRule;
  // A mode allows commands in a sandbox only, which hides what is denied: there no doubt is a risk.
  const byMode = mode.verdict === 'allow';
  const owner = judging.whole ?? allowed?.reach ?? (byMode ? 'blanket' : undefined);
  judging.owners[index] = owner;
  if (strict !== undefined) return strict;
  if (judging.call.ground?.sandbox === 'missing') return judged(part, NOT_SANDBOXED);
  if (owner === 'blanket') {
    const loss = lossOf(part.exec, judging);
    if (loss !== undefined)
      return judged(part, { ...BUILT_IN_ASK, text: 'built-in: cannot be undone', reason: `it ${loss}, and no undo covers that` });
  }
  if (allowed !== undefined) return judged(part, allowed);
  if (byMode) return judged(part, mode);
  return judged(part, { ...mode, verdict: 'ask', ...(doubts.length === 0 ? {} : { reason: doubts.join('; ') }) });
}

function judgeNet(judging: Judging, part: Extract<Part, { kind: 'net' }>): JudgedPart {
  const strict = judgeStrict(judging, part);
  if (strict !== undefined) return strict;
  const allowed = find(judging, judging.policy.allowing, part);
  if (allowed !== undefined) return judged(part, allowed.rule);
  const owner = judging.whole ?? (part.exec === undefined ? undefined : judging.owners[part.exec]);
  // `curl *` names no host: where it may go is for host rules to say. `git push *` says it by itself.
  const covered = owner === 'exact' || owner === 'blanket' || (owner === 'pattern' && part.host === undefined && !judging.policy.judgesHosts);
  return judged(part, covered ? { ...modeRule(judging, 'net'), text: 'the command itself is allowed', verdict: 'allow' } : modeRule(judging, 'net'));
}

function judgeUnknown(judging: Judging, part: Extract<Part, { kind: 'unknown' }>): JudgedPart {
  const mode = modeRule(judging, 'exec');
  const strict = judgeStrict(judging, part, mode);
  if (strict !== undefined) return strict;
  if (judging.call.ground?.sandbox === 'missing') return judged(part, NOT_SANDBOXED);
  const allowed = find(judging, judging.policy.allowing, part, (rule) => !isRisky(judging, rule.reach));
  if (allowed !== undefined) return judged(part, allowed.rule);
  if (mode.verdict === 'allow') return judged(part, mode);
  return judged(part, { ...mode, text: 'built-in: not understood', layer: 'built-in', origin: 'Synapse', verdict: 'ask' });
}

function judgeSimple(judging: Judging, part: Part, action: PermissionAction | undefined): JudgedPart {
  const strict = judgeStrict(judging, part);
  if (strict !== undefined) return strict;
  if (action === undefined) return judged(part, { text: 'nothing forbids it', verdict: 'allow', layer: 'built-in', origin: 'Synapse' });
  const allowed = find(judging, judging.policy.allowing, part);
  return judged(part, allowed === undefined ? modeRule(judging, action) : allowed.rule);
}

function pathPart(kind: PathPart['kind'], { path, tree, exec }: PathEffect, policy: Policy): PathPart {
  return { kind, given: path, location: locate(path, policy.roots), tree, exec };
}

/** Stands for every command, in a search for rules that allow them all. */
const ANY_COMMAND: Part = { kind: 'unknown', command: '\0', reasons: [] };

/** The commands of a call, before what they do: that depends on how they were allowed. */
function judgeCommand(judging: Judging, command: string, effects: Effects, results: JudgedPart[]): void {
  const { policy } = judging;
  const unknown: Part = { kind: 'unknown', command, reasons: effects.unknown.length > 0 ? effects.unknown : ['it holds no command'] };
  const quiet: Judging = { ...judging, trace: false, tried: [] };
  judging.wholeRule = find(quiet, policy.allowing, unknown, (rule) => rule.reach === 'exact')?.rule;
  const everything = modeRule(judging, 'exec').verdict === 'allow' || find(quiet, policy.allowing, ANY_COMMAND) !== undefined;
  judging.whole = judging.wholeRule !== undefined ? 'exact' : everything ? 'blanket' : undefined;
  effects.execs.forEach((exec, index) => results.push(judgeExec(judging, { kind: 'exec', exec }, index)));
  if (effects.unknown.length > 0 || effects.execs.length === 0) results.push(judgeUnknown(judging, unknown));
  else {
    // Nothing is unknown, but a rule may be about the command as a whole.
    const strict = judgeStrict(judging, unknown);
    if (strict !== undefined) results.push(strict);
  }
}

function judgeEffects(judging: Judging, effects: Effects, results: JudgedPart[]): void {
  const { policy } = judging;
  for (const effect of effects.reads) results.push(judgePath(judging, pathPart('read', effect, policy)));
  for (const effect of effects.writes) results.push(judgePath(judging, pathPart('write', effect, policy)));
  for (const effect of effects.deletes) results.push(judgePath(judging, pathPart('delete', effect, policy)));
  for (const effect of effects.mentions) results.push(judgePath(judging, pathPart('mention', effect, policy)));
  for (const { host, exec } of effects.net) results.push(judgeNet(judging, { kind: 'net', host, exec }));
}

/** What is left to be decided before a command runs. */
function judgeLater({ policy, call, route }: Judging, effects: Effects, parts: readonly JudgedPart[]): ReturnType<typeof deferToEffects> {
  const first = call.wish?.asksFirst ?? 'none';
  if (route === undefined || first === 'all' || (first === 'changes' && route.way !== 'reader')) return { parts: [...parts], deferred: false };
  const network = effects.net.length > 0 || call.ground?.network === true;
  return deferToEffects(parts, { route, mode: policy.mode, modeOrigin: policy.modeOrigin, network });
}

/** Whether a command that turns out to write may do so on a copy: what was let through because it only reads was not asked about. */
function mayChange({ mode }: Policy, { ground }: PolicyCall, deferred: boolean): boolean {
  return ground?.transacts === true && MODE_VERDICTS[mode].exec !== 'deny' && !(deferred && ground.network);
}

function merge(into: ReturnType<typeof emptyEffects>, from: Effects): void {
  const base = into.execs.length;
  const moved = <Effect extends { exec: number | undefined }>(effect: Effect): Effect =>
    effect.exec === undefined ? effect : { ...effect, exec: effect.exec + base };
  into.execs.push(...from.execs);
  for (const key of ['reads', 'writes', 'deletes', 'mentions'] as const) into[key].push(...from[key].map(moved));
  into.net.push(...from.net.map(moved));
  into.unknown.push(...from.unknown);
}

/**
 * Of what is asked about, which reason a person has to see first: `cat .env` is asked about because of the file, and
 * that the mode asks about every command would hide it. What goes with the command itself says no more than the mode.
 */
function weight({ verdict, part, rule }: JudgedPart): number {
  if (verdict !== 'ask' || rule.layer === 'mode' || rule.text === guardRule('outside').text) return 0;
  return part.kind === 'unknown' ? 1 : 2;
}

/**
 * Judges a call: every part of it by every rule, the strictest wins. Pure; nothing is asked, run or looked up.
 *
 * @param trace also record the rules that did not match, for an explanation
 */
export function decide(policy: Policy, call: PolicyCall, { trace = false }: { readonly trace?: boolean } = {}): Decision {
  const judging: Judging = { policy, call, tried: [], trace, owners: [], whole: undefined, wholeRule: undefined, route: undefined };
  const routes: CommandRoute[] = [];
  let deferred = false;
  const effects = emptyEffects();
  const results: JudgedPart[] = [judgeSimple(judging, { kind: 'call' }, undefined)];
  let reads = false;
  for (const { action, resource } of call.permissions) {
    if (action === 'exec') {
      const cwd = call.arguments?.['cwd'];
      const inner = shellEffects(resource, typeof cwd === 'string' ? cwd : '');
      const route = call.ground === undefined || call.wish === undefined ? undefined : commandRoute(inner, call.wish, call.ground);
      if (route !== undefined) routes.push(route);
      const own: Judging = { ...judging, owners: [], whole: undefined, wholeRule: undefined, route };
      const parts: JudgedPart[] = [];
      judgeCommand(own, resource, inner, parts);
      judgeEffects(own, inner, parts);
      const later = judgeLater(own, inner, parts);
      results.push(...later.parts);
      deferred ||= later.deferred;
      merge(effects, inner);
    } else if (action === 'net') {
      const host = canonicalHost(resource);
      effects.net.push({ host, exec: undefined });
      results.push(judgeNet(judging, { kind: 'net', host, exec: undefined }));
    } else if (action === 'mcp') {
      results.push(judgeSimple(judging, { kind: 'mcp', name: resource }, 'mcp'));
    } else {
      reads ||= action === 'read';
      const effect: PathEffect = { path: resource, tree: false, exec: undefined };
      (action === 'read' ? effects.reads : effects.writes).push(effect);
      results.push(judgePath(judging, pathPart(action, effect, policy)));
    }
  }
  let decisive = results[0] ?? judged({ kind: 'call' }, modeRule(judging, 'read'));
  for (const result of results.slice(1)) {
    const isAsStrict = result.verdict === decisive.verdict && (decisive.part.kind === 'call' || weight(result) > weight(decisive));
    if (isStricter(result.verdict, decisive.verdict) || isAsStrict) decisive = result;
  }
  return {
    verdict: decisive.verdict,
    rule: decisive.rule,
    decisive,
    effects,
    parts: results,
    tried: judging.tried,
    route: widestRoute(routes),
    mayChange: mayChange(policy, call, deferred),
    deferred: deferred && decisive.verdict === 'allow',
    exclude: reads ? policy.readExclusions : NO_EXCLUSIONS,
  };
}
