import { SynapseError } from '@synapse/protocol';
import { longFlag, text, type Options } from '../command/option.ts';
import { handsOptions } from '../command/shared-options.ts';

/** The default port of a relay. */
export const RELAY_PORT = 7412;

/** Options of every command that can work on another machine. */
export const remote = text('<url>', 'on another machine: ws://host:port#session', { rare: true });

/**
 * Refuses options that only the other machine decides.
 *
 * @param declared those options, as declared
 * @throws SynapseError `invalid_arguments` if one is given
 */
export function refuseLocalOptions(declared: Options, given: Readonly<Record<string, unknown>>): void {
  const [name] = Object.entries(declared).find(([key, { absent }]) => JSON.stringify(given[key]) !== JSON.stringify(absent)) ?? [];
  if (name === undefined) return;
  const word = longFlag(name);
  if (name === 'yes') {
    const hint = 'Leave out --yes. On that machine, synapse connect --allow write,exec allows these calls.';
    throw new SynapseError('invalid_arguments', `${word} is for this machine; what holds on the other one is decided there.`, { hint });
  }
  if (!Object.hasOwn(handsOptions, name))
    throw new SynapseError('invalid_arguments', `${word} has no effect with --remote.`, { hint: `Leave out ${word}.` });
  throw new SynapseError('invalid_arguments', `${word} is for this machine; what holds on the other one is decided there.`, {
    hint: `Leave out ${word}, or give it to synapse connect on that machine.`,
  });
}
