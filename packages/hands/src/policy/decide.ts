import { BUILT_IN_ASK, guardRule, NOT_SANDBOXED } from './built-in-rules.ts';
import { commandRoute, coveredByUndo, mayChange, widerRoute, type CommandRoute } from './command-route.ts';
import { COMMAND_ALLOWED, NOT_UNDERSTOOD, type Decision, type JudgedAccess, type PolicyCall, type RuleCheck } from './decision.ts';
import { deferToEffects } from './defer.ts';
import type { Effects, Exec, PathEffect } from './effects.ts';
import { canonicalHost, requestTo } from './host-pattern.ts';
import { isInstalledPlace } from './tool-folders.ts';
import { guardOf, locate, isHarmlessDevice, isOnlyLinked, type Guard } from './guarded-location.ts';
import { MODE_VERDICTS, type ModeAction } from './modes.ts';
import type { Access, PathAccess } from './access.ts';
import type { Policy } from './policy.ts';
import { lossOf } from './program-table.ts';
import type { Coverage, Reach, Rule, RuleReference, Verdict } from './rule.ts';
import { shellEffects } from './shell-effects.ts';

interface Judging {
  readonly policy: Policy;
  readonly call: PolicyCall;
  readonly tried: RuleCheck[];
  readonly trace: boolean;
  /** The scope that allowed each command, by index. */
  readonly owners: Array<Reach | undefined>;
  /** The scope that covers the whole command, whatever its effects. */
  whole: Reach | undefined;
  /** The rule for exactly this command. */
  wholeRule: Rule | undefined;
  /** The route of the command, if known. */
  route: CommandRoute | undefined;
}

const NO_EXCLUSIONS: readonly string[] = [];

const STRICTNESS: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** Whether one verdict is stricter than another. */
export function isStricter(verdict: Verdict, than: Verdict): boolean {
  return STRICTNESS[verdict] > STRICTNESS[than];
}

function modeRule(judging: Judging, action: ModeAction): RuleReference {
  const { mode, modeOrigin } = judging.policy;
  const verdict = MODE_VERDICTS[mode][action];
  // Without a sandbox, the user's approval is the only control over a command.
  const unconfined = action === 'exec' && verdict === 'allow' && judging.call.confined !== true;
  return {
    text: `mode ${mode}: ${action}${unconfined ? ' without a sandbox' : ''}`,
    verdict: unconfined ? 'ask' : verdict,
    layer: 'mode',
    origin: modeOrigin,
  };
}

/** Whether a rule may say something about an access now. Most rules are about something else. An explanation names them all the same. */
function counts(rule: Rule, { kind }: Access, { trace, policy }: Judging): boolean {
  if (rule.kinds?.has(kind) === false && !trace) return false;
  return rule.expiresAt === undefined || rule.expiresAt > policy.now();
}

/** How certainly a rule is about an access. */
function coverageOf(rule: Rule, access: Access, { call }: Judging): Coverage {
  return rule.coversKinds && rule.kinds?.has(access.kind) === true ? 'yes' : rule.covers(access, call.tool);
}

/** The first rule that certainly matches, or else the first one, where those of a person come before the built-in ones. */
function find(judging: Judging, rules: readonly Rule[], access: Access, accept: (rule: Rule) => boolean = () => true) {
  let found: { readonly rule: Rule; readonly certain: boolean } | undefined;
  for (const rule of rules) {
    if (!counts(rule, access, judging)) continue;
    const coverage = coverageOf(rule, access, judging);
    const matched = coverage !== 'no' && accept(rule);
    if (matched || judging.trace) judging.tried.push({ rule, access, matched });
    if (!matched) continue;
    const certain = coverage === 'yes';
    if (found === undefined || (!found.certain && (certain || found.rule.layer === 'built-in'))) found = { rule, certain };
    if (found.certain && !judging.trace) break;
  }
  return found;
}

function judged(access: Access, rule: RuleReference, verdict: Verdict = rule.verdict): JudgedAccess {
  return { access, verdict, rule };
}

/** Returns the verdict of deny and ask rules; undefined if none matches. A rule that asks does not overrule a mode that refuses. */
function judgeStrict(judging: Judging, access: Access, mode?: RuleReference): JudgedAccess | undefined {
  const strict = judgeRules(judging, access);
  return mode?.verdict === 'deny' && strict?.verdict !== 'deny' ? judged(access, mode) : strict;
}

/** Accesses that only read. They are allowed even if a rule cannot be parsed. */
const READING: ReadonlySet<Access['kind']> = new Set(['read', 'possiblePath', 'call']);

function judgeRules(judging: Judging, access: Access): JudgedAccess | undefined {
  const { policy } = judging;
  const [unreadable] = policy.unreadable;
  if (unreadable !== undefined && !READING.has(access.kind)) return judged(access, unreadable, 'deny');
  const denied = find(judging, policy.denying, access);
  if (denied?.certain === true) return judged(access, denied.rule);
  const asked = find(judging, policy.asking, access);
  if (asked?.certain === true) return judged(access, asked.rule);
  const doubtful = denied !== undefined && denied.rule.layer !== 'built-in' ? denied : asked;
  return doubtful === undefined ? undefined : judgeDoubtful(judging, access, doubtful.rule);
}

/** What a rule says that may match; undefined if nothing. */
function judgeDoubtful(judging: Judging, access: Access, rule: Rule): JudgedAccess | undefined {
  const { confined, machine } = judging.call;
  // In the sandbox, denied files below a folder do not exist.
  // Synapse's own folder may be anywhere, so an uncertain match with it is no reason to ask about every folder.
  if (confined === true && (access.kind === 'read' || access.kind === 'possiblePath')) return undefined;
  // The proxy of the sandbox refuses the requests that the rule denies, and no others.
  if (rule.requests !== undefined && machine?.sandbox === 'works' && machine.filtered === true) return undefined;
  if (access.kind !== 'exec' && access.kind !== 'unknown') return judged(access, rule, 'ask');
  // A person allowed exactly this command.
  const isExact = ({ reach }: Rule): boolean => reach === 'exact';
  if (judging.wholeRule !== undefined || find({ ...judging, trace: false, tried: [] }, judging.policy.allowing, access, isExact) !== undefined)
    return undefined;
  const { text, layer, origin } = rule;
  return judged(access, { text, layer, origin, verdict: 'deny', reason: 'which it may be, as far as it is understood' }, 'ask');
}

const ACCESS_ACTIONS = { read: 'read', write: 'write', delete: 'write', possiblePath: 'read' } as const satisfies Record<
  PathAccess['kind'],
  ModeAction
>;

/** What a mode decides about for an access. Who takes a change back brings nothing new. */
function modeAction({ kind, location }: PathAccess, { restores = false }: PolicyCall): ModeAction {
  const action = ACCESS_ACTIONS[kind];
  return action === 'write' && !restores && location.inside && isInstalledPlace(location.folded) ? 'programs' : action;
}

/** The scope that covers what a command does; undefined for what a tool does itself, and for a command that no rule allows. */
function ownerOf({ whole, owners }: Judging, { exec }: { readonly exec: number | undefined }): Reach | undefined {
  return whole ?? (exec === undefined ? undefined : owners[exec]);
}

function judgePath(judging: Judging, access: PathAccess): JudgedAccess {
  const mode = modeRule(judging, modeAction(access, judging.call));
  const byCommand: RuleReference = { ...mode, text: 'the command itself is judged', verdict: 'allow' };
  if (isOnlyLinked(access, judging.call)) return judged(access, byCommand);
  const strict = judgeStrict(judging, access, isHarmlessDevice(access.location) ? undefined : mode);
  if (strict !== undefined) return strict;
  const owner = ownerOf(judging, access);
  const guard = guardOf(access, judging.call);
  // Undo covers whatever a command changes on a copy.
  if (guard !== undefined && !(guard === 'workspace' && owner === 'blanket' && judging.route?.way === 'transaction'))
    return judgeGuarded(judging, access, guard, owner);
  const allowed = find(judging, judging.policy.allowing, access);
  if (allowed !== undefined) return judged(access, allowed.rule);
  return judged(access, owner !== undefined || access.kind === 'possiblePath' || isHarmlessDevice(access.location) ? byCommand : mode);
}

function judgeGuarded(judging: Judging, access: PathAccess, guard: Guard, owner: Judging['whole']): JudgedAccess {
  const opens = (rule: Rule): boolean => rule.opensGuarded || (guard === 'outside' && rule.reach === 'pattern');
  const opened = find(judging, judging.policy.allowing, access, opens);
  if (opened !== undefined) return judged(access, opened.rule);
  const byOwner = owner === 'exact' || (owner === 'blanket' && guard === 'outside');
  return byOwner ? judged(access, { ...modeRule(judging, 'read'), text: COMMAND_ALLOWED, verdict: 'allow' }) : judged(access, guardRule(guard));
}

/** Whether a command that is not understood may do something denied that no sandbox stops. */
function isRisky({ policy, call }: Judging, reach: Reach): boolean {
  return reach !== 'exact' && policy.deniesResources && call.confined !== true;
}

/** The default registries of npm, pnpm, Yarn and Bun. */
const REGISTRY = 'registry.npmjs.org';

/** Whether the project has the program that `npx vitest` runs; undefined for other commands, or if unknown. */
function isInstalled({ call }: Judging, { installed }: Exec): boolean | undefined {
  const cwd = call.arguments?.['cwd'];
  return installed === undefined ? undefined : call.machine?.hasInstalled?.(installed.name, typeof cwd === 'string' ? cwd : '');
}

/** Finds a rule for the installed program: if the project has vitest, a rule that allows `vitest run` allows `npx vitest run`. */
function findInstalled(judging: Judging, exec: Exec, accept: (rule: Rule) => boolean): { rule: Rule } | undefined {
  if (exec.installed === undefined || isInstalled(judging, exec) !== true) return undefined;
  const { name, words } = exec.installed;
  return find(judging, judging.policy.allowing, { kind: 'exec', exec: { ...exec, name, words, forms: [], wrapped: undefined } }, accept);
}

/** Asks about a command that is allowed like any other, and does what no undo takes back; undefined for others. */
function judgeLoss(judging: Judging, access: Extract<Access, { kind: 'exec' }>, owner: Reach | undefined): JudgedAccess | undefined {
  if (owner !== 'blanket' || judging.call.machine === undefined) return undefined;
  const loss = lossOf(access.exec, coveredByUndo(judging.route));
  if (loss === undefined) return undefined;
  return judged(access, { ...BUILT_IN_ASK, text: 'built-in: cannot be undone', reason: `it ${loss}, and no undo covers that` });
}

/** Judges a command. @param index its position among the commands of the call */
function judgeExec(judging: Judging, access: Extract<Access, { kind: 'exec' }>, index: number): JudgedAccess {
  const mode = modeRule(judging, 'exec');
  const strict = judgeStrict(judging, access, mode);
  const { doubts } = access.exec;
  const accept = ({ reach }: Rule): boolean => {
    // Only the sandbox confines a rule that allows any code.
    if (reach === 'broad' && judging.call.confined !== true) return false;
    return doubts.length === 0 || (reach !== 'pattern' && reach !== 'broad' && !isRisky(judging, reach));
  };
  const allowed = (find(judging, judging.policy.allowing, access, accept) ?? findInstalled(judging, access.exec, accept))?.rule ?? judging.wholeRule;
  // A mode allows commands only in a sandbox, which hides what is denied, so uncertainty is no risk there.
  const byMode = mode.verdict === 'allow';
  const owner = judging.whole ?? allowed?.reach ?? (byMode ? 'blanket' : undefined);
  judging.owners[index] = owner;
  if (strict !== undefined) return strict;
  if (judging.call.machine?.sandbox === 'missing') return judged(access, NOT_SANDBOXED);
  const lost = judgeLoss(judging, access, owner);
  if (lost !== undefined) return lost;
  if (allowed !== undefined) return judged(access, allowed);
  if (byMode) return judged(access, mode);
  return judged(access, { ...mode, verdict: 'ask', ...(doubts.length === 0 ? {} : { reason: doubts.join('; ') }) });
}

function judgeNet(judging: Judging, access: Extract<Access, { kind: 'net' }>): JudgedAccess {
  const strict = judgeStrict(judging, access);
  if (strict !== undefined) return strict;
  const allowed = find(judging, judging.policy.allowing, access);
  if (allowed !== undefined) return judged(access, allowed.rule);
  const owner = ownerOf(judging, access);
  // `curl *` names no host, so host rules decide. `git push *` already implies a host.
  const covered = owner === 'exact' || owner === 'blanket' || (owner === 'pattern' && access.host === undefined && !judging.policy.judgesHosts);
  return judged(access, covered ? { ...modeRule(judging, 'net'), text: COMMAND_ALLOWED, verdict: 'allow' } : modeRule(judging, 'net'));
}

function judgeUnknown(judging: Judging, access: Extract<Access, { kind: 'unknown' }>): JudgedAccess {
  const mode = modeRule(judging, 'exec');
  const strict = judgeStrict(judging, access, mode);
  if (strict !== undefined) return strict;
  if (judging.call.machine?.sandbox === 'missing') return judged(access, NOT_SANDBOXED);
  const allowed = find(judging, judging.policy.allowing, access, (rule) => !isRisky(judging, rule.reach));
  if (allowed !== undefined) return judged(access, allowed.rule);
  if (mode.verdict === 'allow') return judged(access, mode);
  return judged(access, { ...mode, text: NOT_UNDERSTOOD, layer: 'built-in', origin: 'Synapse', verdict: 'ask' });
}

function judgeSimple(judging: Judging, access: Access, action: ModeAction | undefined): JudgedAccess {
  const strict = judgeStrict(judging, access);
  if (strict !== undefined) return strict;
  if (action === undefined) return judged(access, { text: 'nothing forbids it', verdict: 'allow', layer: 'built-in', origin: 'Synapse' });
  const allowed = find(judging, judging.policy.allowing, access);
  return judged(access, allowed === undefined ? modeRule(judging, action) : allowed.rule);
}

function pathAccess(kind: PathAccess['kind'], { path, tree, exec, linked = false }: PathEffect, policy: Policy, byCommand = false): PathAccess {
  return { kind, given: path, location: locate(path, policy.roots), tree, exec, byCommand, linked };
}

/** Stands for every command in the search for rules that allow all of them. */
const ANY_COMMAND: Access = { kind: 'unknown', command: '\0', reasons: [] };

/** Judges the commands of a call. Their effects come later, because those verdicts depend on how the commands were allowed. */
function judgeCommand(judging: Judging, command: string, effects: Effects, results: JudgedAccess[]): void {
  const { policy } = judging;
  const unknown: Access = {
    kind: 'unknown',
    command,
    reasons: effects.unknown.length + effects.execs.length > 0 ? effects.unknown : ['it holds no command'],
    hidden: effects.hidden,
  };
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

function judgeEffects(judging: Judging, effects: Effects, results: JudgedAccess[]): void {
  const { policy } = judging;
  for (const effect of effects.reads) results.push(judgePath(judging, pathAccess('read', effect, policy, true)));
  for (const effect of effects.writes) results.push(judgePath(judging, pathAccess('write', effect, policy, true)));
  for (const effect of effects.deletes) results.push(judgePath(judging, pathAccess('delete', effect, policy, true)));
  for (const effect of effects.possiblePaths) results.push(judgePath(judging, pathAccess('possiblePath', effect, policy, true)));
  for (const effect of effects.net) results.push(judgeNet(judging, { kind: 'net', ...effect }));
  effects.execs.forEach((exec, index) => {
    // A program that is not installed is downloaded from the registry.
    if (isInstalled(judging, exec) === false) results.push(judgeNet(judging, { kind: 'net', host: REGISTRY, exec: index }));
  });
}

/** Stands for an ordinary file that a command changes. */
const ANY_FILE = { path: 'any', tree: false, exec: undefined } as const;

/** Whether a change of an ordinary file asks, or one that the command names. */
function asksAboutChanges({ policy, call }: Judging, accesses: readonly JudgedAccess[]): boolean {
  const named = accesses.some(
    ({ access, verdict, rule }) => (access.kind === 'write' || access.kind === 'delete') && verdict === 'ask' && rule.layer === 'mode',
  );
  if (named) return true;
  const own: Judging = { policy, call, tried: [], trace: false, owners: [], whole: undefined, wholeRule: undefined, route: undefined };
  return judgePath(own, pathAccess('write', ANY_FILE, policy)).verdict !== 'allow';
}

/** Returns the verdicts that are needed before a command runs. */
function judgeLater(
  judging: Judging,
  effects: Effects,
  accesses: readonly JudgedAccess[],
): ReturnType<typeof deferToEffects> & { readonly asks?: boolean } {
  const { policy, call, route } = judging;
  const first = call.wish?.asksFirst ?? 'none';
  if (accesses.every(({ verdict }) => verdict === 'allow')) return { accesses: [...accesses], deferred: false };
  if (route === undefined || first === 'all' || (first === 'changes' && route.way !== 'reader')) return { accesses: [...accesses], deferred: false };
  // A push or a release to an unnamed host needs approval, even without network access.
  const network = call.machine?.network === true || effects.net.some(({ host }) => host === undefined);
  const asks = asksAboutChanges(judging, accesses);
  return { ...deferToEffects(accesses, { route, mode: policy.mode, modeOrigin: policy.modeOrigin, network, asksAboutChanges: asks }), asks };
}

/**
 * Ranks accesses with the same verdict by how useful their reason is. `cat .env` asks because of the file, and "the mode asks
 * about every command" would hide that. Questions of the mode, and about places outside the workspace, rank last.
 */
function weight({ verdict, access, rule }: JudgedAccess): number {
  // A tool that changes a file also reads it.
  if (verdict === 'allow') return access.kind === 'read' || access.kind === 'possiblePath' ? 0 : 1;
  if (verdict !== 'ask' || rule.layer === 'mode' || rule.text === guardRule('outside').text) return 0;
  return access.kind === 'unknown' ? 1 : 2;
}

/**
 * Judges a call: every access by every rule; the strictest verdict wins. Asks and runs nothing; the result depends only on the arguments.
 *
 * @param trace also record the rules that did not match, for an explanation
 * @param understood the effects of commands, by their text: for several decisions about the same calls
 */
export function decide(
  policy: Policy,
  call: PolicyCall,
  { trace = false, understood }: { readonly trace?: boolean; readonly understood?: Map<string, Effects> } = {},
): Decision {
  const judging: Judging = { policy, call, tried: [], trace, owners: [], whole: undefined, wholeRule: undefined, route: undefined };
  let widest: CommandRoute | undefined;
  let deferred = false;
  let asksAbout = false;
  const results: JudgedAccess[] = [judgeSimple(judging, { kind: 'call' }, undefined)];
  for (const { action, resource } of call.permissions) {
    if (action !== 'exec') {
      results.push(judgeResource(judging, action, resource));
      continue;
    }
    const { route, accesses, deferred: isDeferred, asks } = judgeWhole(judging, resource, understood);
    if (route !== undefined) widest = widerRoute(widest, route);
    results.push(...accesses);
    deferred ||= isDeferred;
    asksAbout ||= asks === true;
  }
  const decisive = mostDecisive(results) ?? judged({ kind: 'call' }, modeRule(judging, 'read'));
  const runsFirst = deferred && decisive.verdict === 'allow';
  return {
    verdict: decisive.verdict,
    rule: decisive.rule,
    decisive,
    accesses: results,
    tried: judging.tried,
    route: widest,
    mayChange: call.machine !== undefined && mayChange(policy.mode, call.machine, deferred),
    deferred: runsFirst,
    asksLater: runsFirst && widest?.way === 'transaction' && asksAbout,
    exclude: call.permissions.some(({ action }) => action === 'read') ? policy.readExclusions : NO_EXCLUSIONS,
  };
}

/** Judges a command with all that it does. */
function judgeWhole(judging: Judging, text: string, understood: Map<string, Effects> | undefined) {
  const { call } = judging;
  const cwd = call.arguments?.['cwd'];
  const effects = understood?.get(text) ?? shellEffects(text, typeof cwd === 'string' ? cwd : '', call.machine?.bash);
  understood?.set(text, effects);
  const route = call.machine === undefined || call.wish === undefined ? undefined : commandRoute(effects, call.wish, call.machine);
  const own: Judging = { ...judging, owners: [], whole: undefined, wholeRule: undefined, route };
  const accesses: JudgedAccess[] = [];
  judgeCommand(own, text, effects, accesses);
  judgeEffects(own, effects, accesses);
  return { route, ...judgeLater(own, effects, accesses) };
}

/** Judges what a tool does itself. */
function judgeResource(judging: Judging, action: Exclude<PolicyCall['permissions'][number]['action'], 'exec'>, resource: string): JudgedAccess {
  if (action === 'net') return judgeNet(judging, { kind: 'net', host: canonicalHost(resource), exec: undefined, ...requestTo(resource) });
  if (action === 'mcp') return judgeSimple(judging, { kind: 'mcp', name: resource }, 'mcp');
  return judgePath(judging, pathAccess(action, { path: resource, tree: false, exec: undefined }, judging.policy));
}

/** The strictest access; of several, the one with the most useful reason. */
function mostDecisive([first, ...others]: readonly JudgedAccess[]): JudgedAccess | undefined {
  let decisive = first;
  for (const result of others) {
    if (decisive === undefined) break;
    const isAsStrict = result.verdict === decisive.verdict && (decisive.access.kind === 'call' || weight(result) > weight(decisive));
    if (isStricter(result.verdict, decisive.verdict) || isAsStrict) decisive = result;
  }
  return decisive;
}
