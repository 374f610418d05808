import { homedir } from 'node:os';
import { defaultConfigFolder } from '../../policy/configuration-files.ts';
import { readServers } from '../config/read-servers.ts';
import { pinLaunch } from '../server-refusal.ts';
import { PinStore } from './pin-store.ts';

/**
 * Takes the servers that the files of a project name as they are now: that is what a person trusts with its folder. It
 * must be kept then, and not when they are first used: what a later change of the repository brings nobody has seen.
 *
 * @param root the project's real path
 * @throws SynapseError `unavailable` where it cannot be kept
 */
export function pinProject(stateFolder: string, root: string): void {
  const variables = { environment: process.env, workspace: root, home: homedir() };
  const { servers } = readServers({ user: defaultConfigFolder(), project: root }, [], true, variables);
  using pins = new PinStore(stateFolder, root);
  for (const server of servers) if (server.layer === 'project') pinLaunch(server, pins);
}
