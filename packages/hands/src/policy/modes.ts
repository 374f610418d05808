import type { PermissionAction } from '@synapse/protocol';
import type { Verdict } from './rule.ts';

/** The modes, strictest first. */
export const MODES = ['read-only', 'ask', 'auto-edit', 'trusted'] as const;
export type Mode = (typeof MODES)[number];

export const DEFAULT_MODE: Mode = 'ask';

/** What a mode decides about: an action, or a change of installed programs, which people run outside the sandbox and no review shows. */
export type ModeAction = PermissionAction | 'programs';

/**
 * The verdict without a matching rule. Rules cannot overrule a `deny`, but can overrule an `ask`.
 * Every mode asks about other machines: sent data cannot be taken back.
 */
export const MODE_VERDICTS = {
  'read-only': { read: 'allow', write: 'deny', programs: 'deny', exec: 'deny', net: 'ask', mcp: 'ask' },
  ask: { read: 'allow', write: 'ask', programs: 'ask', exec: 'ask', net: 'ask', mcp: 'ask' },
  'auto-edit': { read: 'allow', write: 'allow', programs: 'ask', exec: 'ask', net: 'ask', mcp: 'ask' },
  trusted: { read: 'allow', write: 'allow', programs: 'allow', exec: 'allow', net: 'ask', mcp: 'ask' },
} as const satisfies Record<Mode, Record<ModeAction, Verdict>>;

/** A one-line description of each mode, for help and explanations. */
export const MODE_MEANINGS: Record<Mode, string> = {
  'read-only': 'reading runs, writing and commands are refused, the rest asks',
  ask: 'reading runs, everything else asks',
  'auto-edit': 'reading and edits in the workspace run, everything else asks',
  trusted: 'reading, edits and commands in the sandbox run; a command without a sandbox asks',
};

/** Whether a mode is stricter than another. An untrusted project may only make the mode stricter. */
export function isTighterMode(mode: Mode, than: Mode): boolean {
  return MODES.indexOf(mode) < MODES.indexOf(than);
}
