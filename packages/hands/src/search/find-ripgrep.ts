import { SynapseError } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';

/** The first with all options that are used here. */
const MIN_MAJOR = 13;

/** Path of the ripgrep that npm installed for this platform; undefined where it has none. */
export async function bundledRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    // Optional packages may be left out of an installation, and not every platform has one.
    return undefined;
  }
}

async function systemVersion(processes: Processes, cwd: PinnedDirectory, signal: AbortSignal): Promise<number> {
  let text = '';
  try {
    await processes.run({
      argv: ['rg', '--version'],
      cwd,
      signal,
      onOutput: (stream, chunk) => {
        if (stream === 'stdout' && text.length < 1_000) text += chunk.toString();
      },
    });
  } catch {
    // There is no such program: as good as one that is too old.
    return 0;
  }
  return Number(/^ripgrep (\d+)\./u.exec(text)?.[1] ?? 0);
}

/** The ripgrep to run: the one from npm, else a recent one of the machine. */
export async function findRipgrep(processes: Processes, cwd: PinnedDirectory, signal: AbortSignal, bundled = bundledRipgrep): Promise<string> {
  const program = await bundled();
  if (program !== undefined) return program;
  if ((await systemVersion(processes, cwd, signal)) >= MIN_MAJOR) return 'rg';
  throw new SynapseError('unavailable', `Searching needs ripgrep, and there is none for ${process.platform}-${process.arch}.`, {
    hint: `A person can install ripgrep ${MIN_MAJOR} or newer as rg on the PATH, or run npm install without leaving out optional packages.`,
  });
}
