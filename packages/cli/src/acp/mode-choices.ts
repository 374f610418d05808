import { MODE_MEANINGS, type Mode } from '@synapse/hands/policy';

const NAMES: Record<Mode, string> = { 'read-only': 'Read only', ask: 'Ask', 'auto-edit': 'Auto edit', trusted: 'Trusted' };

/** Modes as a person chooses among them. */
export function modeChoices(modes: readonly Mode[]): { readonly id: Mode; readonly name: string; readonly description: string }[] {
  return modes.map((id) => ({ id, name: NAMES[id], description: MODE_MEANINGS[id] }));
}
