import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ShownQuestion } from '../approval/ask-approver.ts';
import type { HeldRepository } from '../branch/branch-conflict.ts';
import { MAIN_STATE, shownBelow } from '../branch/branch-state.ts';
import type { CallRuntime } from '../pipeline/call-runtime.ts';
import type { SecretMask } from '../pipeline/without-secrets.ts';
import { SecretStore, type SecretStoreParts } from '../secrets/secret-store.ts';
import type { Hands } from './hands.ts';

/** The secrets of the user whose state folder this is. A branch has those of its workspace. */
export function secretsOf(stateFolder: string, parts?: SecretStoreParts): SecretStore {
  return new SecretStore(shownBelow(stateFolder) === undefined ? stateFolder : join(stateFolder, MAIN_STATE), parts);
}

/** Makes masks of the secrets of a user for what is read of a state folder without hands, such as records. */
export function secretMasksOf(stateFolder: string): CallRuntime['secretMask'] {
  const secrets = secretsOf(stateFolder);
  return () => (existsSync(secrets.file) ? maskOf(secrets) : undefined);
}

/** A mask of the secrets that there are now. Few people have secrets, and nothing is loaded for the others. */
export async function maskOf(secrets: SecretStore, onSecrets: (values: readonly string[]) => void = () => {}): Promise<SecretMask> {
  const { SecretMask } = await import('../pipeline/without-secrets.ts');
  const values = await secrets.values();
  onSecrets(values);
  return new SecretMask(values);
}

/** Questions without the secrets of the user. */
export const questionsWithout =
  (secretMask: CallRuntime['secretMask']): ShownQuestion =>
  async (request) =>
    (await secretMask())?.question(request) ?? request;

/** A repository of a branch, without the secrets in the subjects of its commits. */
const withoutSubjects = (held: HeldRepository, by: SecretMask): HeldRepository => ({
  ...held,
  commits: held.commits.map((commit) => ({ ...commit, subject: by.text(commit.subject) })),
});

/** The methods of hands that show people what was changed. */
type ShowingMethods = Pick<Hands, 'changes' | 'showPending' | 'showBranch' | 'compareBranches'>;

/** The same methods without the secrets of the user in what they show. What is undone or applied is never what was shown. */
export function showingWithout(secretMask: CallRuntime['secretMask'], methods: ShowingMethods): ShowingMethods {
  const masked = async <Shown>(shown: Promise<Shown>, mask: (by: SecretMask, shown: Shown) => Shown): Promise<Shown> => {
    const [by, found] = await Promise.all([secretMask(), shown]);
    return by === undefined ? found : mask(by, found);
  };
  return {
    changes: async (...given) => await masked(methods.changes(...given), (by, shown) => by.changes(shown)),
    showPending: async (...given) => await masked(methods.showPending(...given), (by, shown) => by.effect(shown)),
    showBranch: async (...given) =>
      await masked(methods.showBranch(...given), (by, shown) => ({ ...by.effect(shown), held: shown.held.map((one) => withoutSubjects(one, by)) })),
    compareBranches: async (...given) => await masked(methods.compareBranches(...given), (by, shown) => by.effect(shown)),
  };
}
