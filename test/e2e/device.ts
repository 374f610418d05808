import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import { going } from './going.ts';
import { makePlace, runCli, type Outcome, type Place } from './run-cli.ts';

/** A device of its own: with its own keys and records. */
export async function device(files: Record<string, string> = {}): Promise<Place> {
  const place = await makePlace(files);
  // Without a keychain, wherever the test runs.
  return {
    ...place,
    environment: { ...place.environment, XDG_CONFIG_HOME: join(place.environment['XDG_STATE_HOME'] ?? '', 'config'), PATH: '/usr/bin:/bin' },
  };
}

/** Two devices to pair, and the relay between them. */
export interface Pairing {
  /** The machine that shows the code. */
  readonly desk: Place;
  /** The device that enters it. */
  readonly away: Place;
  readonly url: string;
  readonly name: string;
  readonly options?: readonly string[];
  /** Options of the device that enters the code. */
  readonly joining?: readonly string[];
  /** The relay's code, for a machine that it does not know. */
  readonly invitation?: string;
}

/** Pairs two devices. Returns what each of them printed. */
export async function pair({
  desk,
  away,
  url,
  name,
  options = [],
  joining = [],
  invitation,
}: Pairing): Promise<{ offered: readonly string[]; joined: Outcome }> {
  await using offering = going(desk, ['pair', url, '--name', name, ...options]);
  const ended = once(offering.child, 'exit');
  if (invitation !== undefined) {
    await offering.said(/does not know this machine/u);
    offering.child.stdin?.write(`${invitation}\n`);
  }
  const code = (await offering.said(/^ {4}[0-9A-Z]{4}-[0-9A-Z]{4}$/u)).trim();
  const joined = await runCli(away, ['pair', `${url}#${name}`, ...joining], `${code}\n`);
  await offering.said(/^It may use/u);
  expect({ joined, exit: await ended }).toMatchObject({ joined: { code: 0 }, exit: [0, null] });
  return { offered: offering.lines, joined };
}
