import type { Permission } from '@synapse/protocol';
import type { CommandEnvironment, CommandRoute, CommandWish } from './command-route.ts';
import { displayText } from '../workspace/byte-name.ts';
import { describeAccess, type Access } from './access.ts';
import type { RuleReference, Verdict } from './rule.ts';

/** A call as a policy sees it. */
export interface PolicyCall {
  readonly tool: string;
  /** The permissions that the tool requests. */
  readonly permissions: readonly Permission[];
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** See `ToolDefinition.restores`. Default: false. */
  readonly restores?: boolean;
  /**
   * Whether commands run in an OS sandbox that hides all of `policy.readExclusions` and can write nothing
   * protected or outside the workspace. Default: false.
   */
  readonly confined?: boolean;
  /** The available ways to run its commands. Default: unknown. */
  readonly machine?: CommandEnvironment;
  /** How its commands should run, if the runtime chooses. Default: the runtime does not choose, so everything is decided before. */
  readonly wish?: CommandWish;
}

/** A rule that was compared with an access. */
export interface RuleCheck {
  readonly rule: RuleReference;
  readonly access: Access;
  readonly matched: boolean;
}

/** The verdict on one access. */
export interface JudgedAccess {
  readonly access: Access;
  readonly verdict: Verdict;
  readonly rule: RuleReference;
}

/** The decision about a call. */
export interface Decision {
  readonly verdict: Verdict;
  /** The rule that decided: the strictest of all accesses. */
  readonly rule: RuleReference;
  /** The access that the rule decided on. */
  readonly decisive: JudgedAccess;
  /** The verdict on each access. */
  readonly accesses: readonly JudgedAccess[];
  /** The rules that matched; with `trace` also those that did not. */
  readonly tried: readonly RuleCheck[];
  /** The route of its commands; undefined if it runs none, or if its tool runs them itself. */
  readonly route: CommandRoute | undefined;
  /** Whether a command that was judged as a reader may run again on a copy. */
  readonly mayChange: boolean;
  /** Whether it was allowed because its changes need approval afterwards. */
  readonly deferred: boolean;
  /** Whether it runs on a copy, and then asks about what it changed there. */
  readonly asksLater: boolean;
  /** Gitignore lines, in order, that a call must exclude when it walks folders. */
  readonly exclude: readonly string[];
}

/** What a mode does about an action, such as `ask` before `exec`. */
const MODE_VERBS: Readonly<Record<Verdict, string>> = { allow: 'allows', ask: 'asks before', deny: 'refuses' };
const MODE_ACTIONS: Readonly<Record<string, string>> = {
  read: 'reading',
  write: 'changes',
  programs: 'changes of installed programs',
  exec: 'commands',
  net: 'network access',
  mcp: 'tools that are not built in',
};
const MODE_TEXT = /^mode (?<mode>\S+): (?<action>\w+)(?<more>.*)$/u;

function modeReason({ text, reason }: RuleReference, verdict: Verdict): string {
  const { mode, action = '', more = '' } = MODE_TEXT.exec(text)?.groups ?? {};
  const known = MODE_ACTIONS[action];
  // Other texts are clauses of their own: what the mode does.
  const does = known === undefined ? action : `${MODE_VERBS[verdict]} ${known}`;
  const said = mode === undefined ? text : `mode "${mode}" ${does}${more}`;
  return reason === undefined ? said : `${said}; ${reason}`;
}

/** The built-in rule for commands that may do anything. */
export const NOT_UNDERSTOOD = 'built-in: not understood';
/** The text of the rule for the effects of a command that is allowed word for word. */
export const COMMAND_ALLOWED = 'the command itself is allowed';

/** Returns what an access does, and the rule behind its verdict. */
export function reasonFor({ access, verdict, rule }: JudgedAccess): string {
  const isUnclear = access.kind === 'unknown' && access.reasons.length > 0;
  const what = `${isUnclear ? 'the command ' : ''}${describeAccess(access)}`;
  if (isUnclear && rule.text === NOT_UNDERSTOOD) return what;
  if (rule.layer === 'mode') return `${what}: ${modeReason(rule, verdict)}`;
  if (rule.layer === 'built-in') return `${what}: ${rule.reason ?? rule.text.replace(/^built-in: /u, '')}`;
  // Rules and reasons may come from an untrusted project: none of their lines may look like Synapse output.
  const shown = `rule "${rule.verdict} ${rule.text}" [${rule.layer}: ${rule.origin}]${rule.reason === undefined ? '' : `, ${rule.reason}`}`;
  return `${what}: ${displayText(shown)}`;
}
