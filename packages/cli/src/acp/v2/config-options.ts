import type { SessionConfigOption, SetSessionConfigOptionRequest } from '@agentclientprotocol/sdk/experimental/v2';
import { SynapseError } from '@synapse/protocol';
import type { SessionModes } from '../acp-session.ts';
import { modeChoices } from '../mode-choices.ts';

const MODE = 'mode';

/** The options of a session: its mode. */
export function configOptions({ current, allowed }: SessionModes): SessionConfigOption[] {
  const options = modeChoices(allowed).map(({ id, name, description }) => ({ value: id, name, description }));
  return [{ type: 'select', configId: MODE, name: 'Mode', category: 'mode', currentValue: current, options }];
}

/**
 * The mode that a request names.
 *
 * @throws SynapseError `invalid_arguments` for another option, or another type of value
 */
export function wantedMode({ configId, type, value }: Pick<SetSessionConfigOptionRequest, 'configId' | 'type' | 'value'>): string {
  if (configId !== MODE)
    throw new SynapseError('invalid_arguments', `Option not found: ${configId.slice(0, 40)}`, { hint: `The option is: ${MODE}.` });
  if (type !== 'id' || typeof value !== 'string')
    throw new SynapseError('invalid_arguments', `The option ${MODE} takes the id of a value.`, { hint: 'Send type "id".' });
  return value;
}
