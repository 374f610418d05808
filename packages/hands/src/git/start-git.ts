import type { SandboxTier } from '@synapse/protocol';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { GIT, repositoryEnvironment } from './git-environment.ts';
import type { GitSandbox } from './git-sandbox.ts';
import type { GitView } from './git-view.ts';
import type { StandInFolder } from './stand-in-folder.ts';

/** What to run: the subcommand and what follows, in the top of the working tree. */
export type GitRun = Pick<ProcessRequest, 'onOutput' | 'signal'> & { readonly cwd: PinnedDirectory; readonly arguments: readonly string[] };

/** Starts git on one repository. */
export interface GitStarter extends Disposable {
  /** How git is confined, by what is known now. */
  readonly sandbox: SandboxTier;
  run(run: GitRun): Promise<ProcessOutcome>;
}

/** What {@link startGit} needs. */
export interface GitStarterParts {
  readonly processes: Processes;
  readonly sandbox: GitSandbox;
  /** Undefined where git is to run without a sandbox. */
  readonly view: GitView | undefined;
  readonly standIn: (view?: GitView) => StandInFolder;
}

/** Makes the stand-in of a repository, and starts git on it: in the sandbox, or hardened where none works. */
export function startGit({ processes, sandbox, view, standIn }: GitStarterParts): GitStarter {
  using resources = new DisposableStack();
  let confined = resources.use(view);
  let folder = resources.use(standIn(view));
  const held = resources.move();
  return {
    get sandbox() {
      return confined === undefined ? 'none' : 'bubblewrap';
    },
    async run({ arguments: given, ...request }) {
      const outcome = confined === undefined ? undefined : await sandbox.run(confined, folder.path, given, request);
      if (outcome !== undefined) return outcome;
      // Its links led to places in the sandbox.
      if (confined !== undefined) folder = held.use(standIn());
      confined = undefined;
      return await processes.run({ ...request, argv: [...GIT, ...given], environment: repositoryEnvironment(folder.path) });
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}
