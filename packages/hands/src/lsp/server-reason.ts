import { isSynapseError } from '@synapse/protocol';
import { harmlessText } from '../text/terminal-text.ts';

const MAX_REASON_CHARACTERS = 300;

/** Why a server refuses a request, in its words; undefined if the error is none of a server. @param root the real path of the workspace */
export function reasonOf(error: unknown, root: string): string | undefined {
  const { code, message } = Object(error);
  if (isSynapseError(error) || typeof code !== 'number' || typeof message !== 'string') return undefined;
  return harmlessText(message.slice(0, MAX_REASON_CHARACTERS).replaceAll(`${root}/`, ''))
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replace(/\.$/u, '');
}
