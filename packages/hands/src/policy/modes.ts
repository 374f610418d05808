import type { PermissionAction } from '@synapse/protocol';
import type { Verdict } from './verdict.ts';

/** Presets, from the strictest to the laxest. */
export const MODES = ['read-only', 'ask', 'auto-edit', 'trusted'] as const;
export type Mode = (typeof MODES)[number];

export const DEFAULT_MODE: Mode = 'ask';

/**
 * What happens where no rule says anything. `deny` cannot be overruled by a rule that allows or asks; `ask` can.
 * A person is asked about other machines in every mode: no sandbox takes back what was sent.
 */
export const MODE_VERDICTS = {
  'read-only': { read: 'allow', write: 'deny', exec: 'deny', net: 'ask', mcp: 'ask' },
  ask: { read: 'allow', write: 'ask', exec: 'ask', net: 'ask', mcp: 'ask' },
  'auto-edit': { read: 'allow', write: 'allow', exec: 'ask', net: 'ask', mcp: 'ask' },
  trusted: { read: 'allow', write: 'allow', exec: 'allow', net: 'ask', mcp: 'ask' },
} as const satisfies Record<Mode, Record<PermissionAction, Verdict>>;

/** One line for each mode, for help and for explanations. */
export const MODE_MEANINGS: Record<Mode, string> = {
  'read-only': 'reading runs, writing and commands are refused, the rest asks',
  ask: 'reading runs, everything else asks',
  'auto-edit': 'reading and edits in the workspace run, everything else asks',
  trusted: 'reading, edits and commands in the sandbox run; a command without a sandbox asks',
};

/** Whether a mode allows less than another: all that a project may do before its folder is trusted. */
export function isTighterMode(mode: Mode, than: Mode): boolean {
  return MODES.indexOf(mode) < MODES.indexOf(than);
}
