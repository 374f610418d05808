import { GIT, repositoryEnvironment } from '../git/git-environment.ts';
import { withBoundedData } from '../process/bounded-memory.ts';
import type { Processes } from '../process/processes.ts';
import { displayName } from '../workspace/byte-name.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { ChangeEntry } from './change-entry.ts';

/** Characters of the name of a pack by SHA-256. */
const LONG_NAME = /^pack-[\da-f]{64}\.idx$/u;
/** There is no repository, so git obeys nothing that a command wrote. */
const NO_REPOSITORY = '/dev/null/none';

/**
 * Checks an index of a pack in the layer of a command, by the pack beside it. git reads the pack as it reads one from a server, and compares what is
 * in it with its index. This takes as long as it took to make them.
 */
export async function isPackIndexTrue(upper: string, processes: Processes, signal: AbortSignal, location: ChangeEntry['location']): Promise<boolean> {
  const name = displayName(location.at(-1) ?? '');
  // git writes only such names.
  if (!/^[-\w.]+\.idx$/u.test(name)) return false;
  using layer = new HandleConfinement(upper);
  using cwd = layer.openDirectory(location.slice(0, -1));
  const format = `--object-format=${LONG_NAME.test(name) ? 'sha256' : 'sha1'}`;
  const { exitCode } = await processes.run({
    argv: withBoundedData([...GIT, 'index-pack', '--verify', format, `./${name.replace(/\.idx$/u, '.pack')}`]),
    cwd,
    environment: repositoryEnvironment(NO_REPOSITORY),
    onOutput: () => {},
    signal,
  });
  signal.throwIfAborted();
  return exitCode === 0;
}
