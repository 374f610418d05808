import type { Permission } from '@synapse/protocol';
import type { CommandGround, CommandRoute, CommandWish } from './command-route.ts';
import type { Effects } from './effects.ts';
import { displayText } from '../workspace/byte-name.ts';
import { describePart, type Part } from './part.ts';
import type { RuleReference } from './rule.ts';
import type { Verdict } from './verdict.ts';

/** A call as a policy sees it. */
export interface PolicyCall {
  readonly tool: string;
  /** What the tool says it needs. */
  readonly permissions: readonly Permission[];
  readonly arguments?: Readonly<Record<string, unknown>>;
  /**
   * Whether commands run in an OS sandbox that hides all of `policy.readExclusions` and can write nothing
   * protected or outside the workspace. Default: false.
   */
  readonly confined?: boolean;
  /** What there is for its commands to run in. Default: nothing is known of that. */
  readonly ground?: CommandGround;
  /** How its commands are to run, where its tool leaves that to the runtime. Default: it does not, so all is decided before. */
  readonly wish?: CommandWish;
}

/** A rule that was compared with a part. */
export interface Trial {
  readonly rule: RuleReference;
  readonly part: Part;
  readonly matched: boolean;
}

/** What was decided of one part. */
export interface JudgedPart {
  readonly part: Part;
  readonly verdict: Verdict;
  readonly rule: RuleReference;
}

/** What was decided of a call. */
export interface Decision {
  readonly verdict: Verdict;
  /** The rule that decided: the strictest of all parts. */
  readonly rule: RuleReference;
  /** The part that it decided on. */
  readonly decisive: JudgedPart;
  readonly effects: Effects;
  /** Every part on its own. */
  readonly parts: readonly JudgedPart[];
  /** The rules that matched; with `trace` also those that did not. */
  readonly tried: readonly Trial[];
  /** Which way its commands run; undefined where it runs none, or its tool runs them by itself. */
  readonly route: CommandRoute | undefined;
  /** Whether a command that only seemed to read may run again on a copy. */
  readonly mayChange: boolean;
  /** Whether it was let through because what it changes is asked about afterwards. */
  readonly deferred: boolean;
  /** Gitignore lines that a call which walks folders must leave out, in order. */
  readonly exclude: readonly string[];
}

/** Why a part was judged as it was, in one sentence. */
export function reasonFor({ part, verdict, rule }: JudgedPart): string {
  const by = rule.layer === 'built-in' ? 'built in' : `${rule.layer}: ${rule.origin}`;
  // A project that nobody trusts writes rules and their reasons too: no line of theirs may look like one of ours.
  const shown = `${rule.text} [${by}]${rule.reason === undefined ? '' : `, ${rule.reason}`}`;
  return `${describePart(part)}: ${verdict} by ${displayText(shown)}`;
}
