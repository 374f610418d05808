import type { Program } from '../program.ts';

/** Kubernetes, OpenShift and Helm 3. */
export const programs: readonly Program[] = [
  { names: 'kubectl', naming: { words: 2, deeper: 'get' }, runs: 'elsewhere' },
  { names: 'oc', runs: 'elsewhere' },
  { names: 'helm', aliases: ['uninstall = del = delete = un', 'pull = fetch'], naming: 2 },
];
