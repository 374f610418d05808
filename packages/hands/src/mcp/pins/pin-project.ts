import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { defaultConfigFolder, readConfiguration } from '../../policy/configuration-files.ts';
import { readServers } from '../config/read-servers.ts';
import { pinLaunch } from '../server-refusal.ts';
import { PinStore } from './pin-store.ts';

/** What the configuration of a project is kept under. */
const CONFIGURATION = 'configuration';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Takes the configuration of a project, and the servers that its files name, as they are now: that is what a person
 * trusts with its folder. It must be kept then, and not when it is first used: what a later change of the repository
 * brings nobody has seen.
 *
 * @param root the project's real path
 * @throws SynapseError `unavailable` where it cannot be kept
 */
export function pinProject(stateFolder: string, root: string): void {
  const folders = { user: defaultConfigFolder(), project: root };
  const variables = { environment: process.env, workspace: root, home: homedir() };
  const { servers } = readServers(folders, [], true, variables);
  const own = readConfiguration(folders, () => true).find(({ layer }) => layer === 'project');
  using pins = new PinStore(stateFolder, root);
  pins.see(CONFIGURATION, hashOf(own?.text ?? ''));
  for (const server of servers) if (server.layer === 'project') pinLaunch(server, pins);
}

/** Whether the configuration of a trusted project is still what it was when a person trusted its folder. */
export function isAsTrusted(stateFolder: string, root: string, text: string): boolean {
  using pins = new PinStore(stateFolder, root);
  return pins.seen(CONFIGURATION) === hashOf(text);
}
