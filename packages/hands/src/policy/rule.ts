import type { Part } from './part.ts';
import type { Verdict } from './verdict.ts';

/** Where a rule comes from, the mightiest first. `built-in` and `mode` are Synapse's own. */
export const LAYERS = ['built-in', 'managed', 'flags', 'user', 'project', 'grant'] as const;
export type Layer = (typeof LAYERS)[number];

/** A rule with more than its text. */
export interface RuleObject {
  /** Such as `run_command(git push *)`. */
  readonly rule: string;
  /** What it must match; checked when it is loaded. */
  readonly match?: readonly string[];
  /** What it must not match; checked when it is loaded. */
  readonly notMatch?: readonly string[];
  /** Shown to whoever is asked or refused. */
  readonly reason?: string;
  /** An allow rule that also opens secret and protected places below its pattern. */
  readonly guarded?: boolean;
  /** Milliseconds since 1970 after which the rule is gone. */
  readonly expiresAt?: number;
}

/** A rule as a person writes it. */
export type RuleSource = string | RuleObject;

/** Whether a rule is about a part; `maybe` where it is about something that may lie below a folder. */
export type Coverage = 'yes' | 'maybe' | 'no';

/** How much an allow rule gives: a `blanket` for all commands, one `exact` command, or every one of a `pattern`. */
export type Reach = 'blanket' | 'exact' | 'pattern';

/** A rule that is ready to judge. */
export interface Rule {
  readonly verdict: Verdict;
  readonly layer: Layer;
  /** As written. */
  readonly text: string;
  /** The file it stands in, or another word for its origin. */
  readonly origin: string;
  readonly reason: string | undefined;
  readonly expiresAt: number | undefined;
  readonly reach: Reach;
  /** Whether it opens places that hold secrets or that other programs run. */
  readonly opensGuarded: boolean;
  /** A gitignore line for what it says about reading, where it says something. */
  readonly readPattern: string | undefined;
  covers(part: Part, tool: string): Coverage;
}

/** What is said of a rule in a decision. */
export interface RuleReference {
  readonly text: string;
  readonly verdict: Verdict;
  readonly layer: Layer | 'mode';
  readonly origin: string;
  readonly reason?: string | undefined;
}
