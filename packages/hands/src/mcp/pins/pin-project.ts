import { pinLaunch } from '../server-refusal.ts';
import { PinStore } from './pin-store.ts';
import { configurationHash, type ProjectReview } from './review-project.ts';

/** What the configuration of a project is kept under. */
const CONFIGURATION = 'configuration';

/**
 * Takes the configuration of a project, and the servers that its files name, as they were reviewed: that is what a person
 * trusts with its folder. What a later change of the repository brings, even while a person reads, was not seen.
 *
 * @param root the project's real path
 * @throws SynapseError `unavailable` where it cannot be kept
 */
export function pinProject(stateFolder: string, root: string, review: ProjectReview): void {
  using pins = new PinStore(stateFolder, root);
  pins.see(CONFIGURATION, review.configurationHash);
  for (const server of review.servers) pinLaunch(server, pins);
}

/** Whether the configuration of a trusted project is still what it was when a person trusted its folder. */
export function isAsTrusted(stateFolder: string, root: string, text: string): boolean {
  using pins = new PinStore(stateFolder, root);
  return pins.seen(CONFIGURATION) === configurationHash(text);
}
