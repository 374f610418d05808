import { SynapseError } from '@synapse/protocol';
import { longFlag, text, type Options } from '../command/option.ts';

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
  const wrong = Object.entries(declared).find(([name, { absent }]) => JSON.stringify(given[name]) !== JSON.stringify(absent));
  if (wrong === undefined) return;
  throw new SynapseError('invalid_arguments', `${longFlag(wrong[0])} is for this machine; what holds on the other one is decided there.`, {
    hint:
      wrong[0] === 'yes'
        ? 'Leave out --yes. On that machine, synapse connect --allow write,exec allows these calls.'
        : `Leave out ${longFlag(wrong[0])}, or give it to synapse connect on that machine.`,
  });
}
