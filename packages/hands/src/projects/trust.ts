import { Projects } from './projects.ts';

/** @throws SynapseError `denied` if the workspace must be a tracked project and is not, `not_found` if it no longer exists */
export function track(workspace: string, stateFolder: string, tracked: 'require' | 'add'): void {
  using projects = Projects.open(stateFolder);
  if (tracked === 'add') projects.add(workspace);
  projects.require(workspace);
}

/**
 * Throws if a missing folder was a tracked project.
 * @throws SynapseError `not_found` if it was one
 */
export function assertNotLost(workspace: string, stateFolder: string): void {
  using projects = Projects.open(stateFolder);
  if (projects.get(workspace) !== undefined) projects.require(workspace);
}

/** Whether the user trusts a project. Only a tracked one can be trusted. */
export function isTrusted(root: string, stateFolder: string): boolean {
  using projects = Projects.open(stateFolder);
  return projects.get(root)?.trusted === true;
}

/** Whether a project's configuration may permit something as it is. */
export function countsHere(root: string, stateFolder: string, text: string): boolean {
  using projects = Projects.open(stateFolder);
  return projects.counts(root, text);
}
