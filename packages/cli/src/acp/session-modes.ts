import type { SessionModeState } from '@agentclientprotocol/sdk';
import { MODE_MEANINGS, MODES, type Mode } from '@synapse/hands/policy';

const NAMES: Record<Mode, string> = { 'read-only': 'Read only', ask: 'Ask', 'auto-edit': 'Auto edit', trusted: 'Trusted' };

/**
 * The modes that an editor may choose: none is looser than the configured one.
 *
 * @param configured the mode of the configuration and the command line
 */
export function sessionModes(configured: Mode, current: Mode): SessionModeState {
  const allowed = MODES.slice(0, MODES.indexOf(configured) + 1);
  return {
    currentModeId: current,
    availableModes: allowed.map((id) => ({ id, name: NAMES[id], description: MODE_MEANINGS[id] })),
  };
}
