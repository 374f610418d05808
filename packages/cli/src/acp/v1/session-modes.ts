import type { SessionModeState } from '@agentclientprotocol/sdk';
import type { SessionModes } from '../acp-session.ts';
import { modeChoices } from '../mode-choices.ts';

/** The modes of a session in version 1. */
export function sessionModes({ current, allowed }: SessionModes): SessionModeState {
  return { currentModeId: current, availableModes: modeChoices(allowed) };
}
