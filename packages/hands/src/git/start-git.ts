import type { SandboxTier } from '@synapse/protocol';
import { withBoundedData } from '../process/bounded-memory.ts';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { GIT, repositoryEnvironment } from './git-environment.ts';
import type { GitSandbox } from './git-sandbox.ts';
import type { GitMounts } from './git-mounts.ts';
import type { ShadowGitDir } from './shadow-git-dir.ts';

/** What to run: the subcommand and its arguments, in the top of the working tree. */
export type GitRun = Pick<ProcessRequest, 'onOutput' | 'onInput' | 'onStart' | 'signal'> & {
  readonly cwd: PinnedDirectory;
  readonly arguments: readonly string[];
};

/** Starts git on one repository. */
export interface GitStarter extends Disposable {
  /** Returns how git is confined, as far as known. */
  sandbox(): SandboxTier;
  /** The folder that replaces `.git`, on this machine. */
  shadow(): string;
  run(run: GitRun): Promise<ProcessOutcome>;
}

/** The dependencies of {@link startGit}. */
export interface GitStarterParts {
  readonly processes: Processes;
  readonly sandbox: GitSandbox;
  /** Undefined to run git without a sandbox. */
  readonly view: GitMounts | undefined;
  readonly shadow: (view?: GitMounts) => ShadowGitDir;
}

/** Creates the shadow folder of a repository, and starts git on it: in the sandbox, or hardened if none works. */
export function startGit({ processes, sandbox, view, shadow }: GitStarterParts): GitStarter {
  using resources = new DisposableStack();
  let confined = resources.use(view);
  let folder = resources.use(shadow(view));
  const held = resources.move();
  return {
    sandbox: () => (confined === undefined ? 'none' : 'bubblewrap'),
    shadow: () => folder.path,
    async run({ arguments: given, ...request }) {
      const outcome = confined === undefined ? undefined : await sandbox.run(confined, folder.path, given, request);
      if (outcome !== undefined) return outcome;
      // Its links lead to places in the sandbox.
      if (confined !== undefined) folder = held.use(shadow());
      confined = undefined;
      const argv = withBoundedData([...GIT, ...given]);
      return await processes.run({ ...request, argv, environment: repositoryEnvironment(folder.path) });
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}
