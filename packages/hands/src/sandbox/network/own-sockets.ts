import { compiledLauncher, type CompiledLauncher } from '../../launch/compiled-launcher.ts';
import type { Wrap } from '../../launch/launch-steps.ts';
import { PROGRAMS } from '../../launch/programs.ts';
import { systemProgram } from '../../launch/system-program.ts';
import { keptCallFilter } from '../seccomp/call-filter.ts';
import { tryRun } from '../try-run.ts';

/** prctl by architecture (asm/unistd.h). The numbers of Landlock are the same everywhere. */
const PRCTL: Partial<Record<NodeJS.Architecture, number>> = { x64: 157, arm64: 167 };

function withPerl(): Wrap | undefined {
  const [perl, prctl] = [systemProgram('perl'), PRCTL[process.arch]];
  if (perl === undefined || prctl === undefined) return undefined;
  return (argv) => ['/bin/sh', '-c', PROGRAMS['quiet-perl.sh'], 'sh', perl, '-e', PROGRAMS['sockets.pl'], String(prctl), ...argv];
}

const withLauncher =
  ({ program }: CompiledLauncher): Wrap =>
  (argv) => [program, 'sockets', ...argv];

/** How to enter such a domain; undefined if the kernel has none, or if nothing here enters it. */
async function findDomain(compiled: CompiledLauncher | undefined): Promise<Wrap | undefined> {
  const [wrap, unshare] = [compiled === undefined ? withPerl() : withLauncher(compiled), systemProgram('unshare')];
  if (wrap === undefined || unshare === undefined) return undefined;
  // It must not forbid the mounts of sandboxes. Kernels before 6.12 have no such domains.
  const [program, ...trial] = wrap([unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', ':']);
  return (await tryRun(program, trial)).worked ? wrap : undefined;
}

const domains = new Map<CompiledLauncher | undefined, Promise<Wrap | undefined>>();

async function keptDomain(root: string | undefined): Promise<Wrap | undefined> {
  const compiled = await compiledLauncher(root);
  let domain = domains.get(compiled);
  if (domain === undefined) domains.set(compiled, (domain = findDomain(compiled)));
  return await domain;
}

/** How a command is kept apart from the sockets of others. */
export interface OwnSockets {
  /** The system call filter of the command; undefined if there is none. */
  readonly filter: number | undefined;
  readonly wrap: Wrap;
}

/**
 * Keeps commands in one network from meeting at an abstract socket, which ignores mounts. They could pass each other open
 * files there: one that outlives the other would change what was already judged, or what was closed to the other.
 * A command with a network of its own needs none of this.
 *
 * @param network `joined`: that of a session with a job, which outlives other commands
 * @param isCopy whether the command runs on a copy. Where the kernel cannot keep sockets apart, it gets none with a name beside a job.
 * @param root the real path of the workspace; undefined if there is none
 */
export async function ownSockets(network: 'joined' | 'host', isCopy: boolean, root: string | undefined, find = keptDomain): Promise<OwnSockets> {
  const filter = keptCallFilter(isCopy ? 'usual' : 'live');
  const wrap = await find(root);
  if (wrap !== undefined) return { filter, wrap };
  return { filter: isCopy && network === 'joined' ? keptCallFilter('without named sockets') : filter, wrap: (argv) => argv };
}
