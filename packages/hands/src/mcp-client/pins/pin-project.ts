import { pinLaunch } from './server-refusal.ts';
import { PinStore } from './pin-store.ts';
import { configurationHash, type ProjectReview } from './review-project.ts';

/** Key of the configuration of a trusted project. */
const CONFIGURATION = 'configuration';
/** Key of a configuration that was accepted on its own. */
const ACCEPTED = 'accepted configuration';

/**
 * Stores the configuration of a project, and the servers of its files, as reviewed: these are what the user trusts
 * with the folder. Later changes of the repository, even during the review, were not seen.
 *
 * @param root real path of the project
 * @throws SynapseError `unavailable` if it cannot be stored
 */
export function pinProject(stateFolder: string, root: string, review: ProjectReview): void {
  using pins = new PinStore(stateFolder, root);
  pins.see(CONFIGURATION, review.configurationHash);
  for (const server of review.servers) pinLaunch(server, pins);
}

/**
 * Accepts the configuration of a project as shown, even if its folder is not trusted: its rules and its mode apply,
 * and its MCP servers do not start.
 */
export function acceptConfiguration(stateFolder: string, root: string, text: string): void {
  using pins = new PinStore(stateFolder, root);
  pins.see(ACCEPTED, configurationHash(text));
}

/** Whether the user accepted this configuration of a project. */
export function isAccepted(stateFolder: string, root: string, text: string): boolean {
  using pins = new PinStore(stateFolder, root);
  return pins.seen(ACCEPTED) === configurationHash(text);
}

/** Whether the configuration of a trusted project is unchanged since the user trusted its folder. */
export function isAsTrusted(stateFolder: string, root: string, text: string): boolean {
  using pins = new PinStore(stateFolder, root);
  return pins.seen(CONFIGURATION) === configurationHash(text);
}
