import { closeSync, openSync } from 'node:fs';
import type { Argv } from '../../launch/launch-steps.ts';
import { PROGRAMS } from '../../launch/programs.ts';
import { FIRST_HANDLE, type InheritedHandle, type Processes, type SessionNetwork } from '../../process/processes.ts';
import type { PinnedDirectory } from '../../workspace/confinement.ts';
import { systemProgram } from '../../launch/system-program.ts';

/** Maximum time to create a namespace, in milliseconds. It takes some ten, but without it later commands do not reach the server of a job. */
const OPEN_MS = 30_000;
/** Prints the id of the process to join, and stays until it is signaled. `bwrap` has set up the loopback by then. */
const HOLD = 'echo "$$"; read -r _';

/** A network that a command joins. */
export interface JoinedNetwork {
  /** The handles that the command must inherit, in this order. */
  readonly handles: readonly InheritedHandle[];
  /** Wraps the command line of a sandbox that creates no network. @param first the descriptor of the first handle */
  readonly join: (argv: Argv, first?: number) => Argv;
}

/** Namespaces that exist as long as their descriptors are open, without any process. */
interface Held extends JoinedNetwork {
  readonly descriptors: readonly number[];
  /** Number of commands that use it. */
  jobs: number;
}

/** Dependencies of {@link SessionNetworks}. */
export interface SessionNetworksParts {
  readonly bubblewrap: string;
  /** The runner of commands, so that commands and the network belong to the same user. */
  readonly processes: Processes;
  readonly cwd: () => PinnedDirectory;
}

/**
 * Networks that the commands of a session share while it has jobs, so that a command can reach a server that an earlier one
 * started. Like the network of a single command, each has only a loopback. Sessions cannot see each other's networks.
 */
export class SessionNetworks implements Disposable {
  readonly #parts: SessionNetworksParts;
  readonly #open = new Map<string, Promise<Held | undefined>>();

  constructor(parts: SessionNetworksParts) {
    this.#parts = parts;
  }

  /** Returns the network for a command of a session; undefined if the command gets a private one. Disposing it releases it. */
  async use(wanted: SessionNetwork | undefined): Promise<(JoinedNetwork & Disposable) | undefined> {
    if (wanted === undefined) return undefined;
    const { session, opens = false } = wanted;
    if (opens && !this.#open.has(session)) this.#open.set(session, this.#make());
    const held = await this.#open.get(session);
    if (held === undefined) {
      // Try again with the next job: the reason may have been a lack of memory.
      if (opens) this.#open.delete(session);
      return undefined;
    }
    // Every command keeps it open: it must not be closed before the command has started.
    held.jobs += 1;
    return { handles: held.handles, join: held.join, [Symbol.dispose]: () => this.#leave(session, held) };
  }

  [Symbol.dispose](): void {
    for (const opening of this.#open.values()) void opening.then((held) => held?.descriptors.forEach(closeSync));
    this.#open.clear();
  }

  #leave(session: string, held: Held): void {
    held.jobs -= 1;
    if (held.jobs > 0) return;
    this.#open.delete(session);
    held.descriptors.forEach(closeSync);
  }

  async #make(): Promise<Held | undefined> {
    const { bubblewrap, processes, cwd } = this.#parts;
    const nsenter = systemProgram('nsenter');
    if (nsenter === undefined) return undefined;
    const descriptors: number[] = [];
    let said = '';
    let release = (): void => {};
    try {
      await processes.run({
        // The user that runs commands owns the namespaces, and may enter them.
        argv: [bubblewrap, '--unshare-user', '--unshare-net', '--die-with-parent', '--ro-bind', '/', '/', '/bin/sh', '-c', HOLD],
        cwd,
        signal: AbortSignal.timeout(OPEN_MS),
        onInput: (input) => (release = () => void input.end()),
        onOutput: (stream, chunk) => {
          if (stream === 'stdout') said += chunk.toString();
          if (!said.endsWith('\n')) return;
          try {
            for (const name of ['user', 'net']) descriptors.push(openSync(`/proc/${Number(said)}/ns/${name}`, 'r'));
          } finally {
            release();
          }
        },
      });
    } catch {
      // No such namespace, or a time-out: the command gets a private network.
    }
    const [user, network] = descriptors;
    if (user === undefined || network === undefined) {
      descriptors.forEach(closeSync);
      return undefined;
    }
    return { descriptors, jobs: 0, handles: [user, network].map((descriptor) => ({ descriptor })), join: joining(nsenter) };
  }
}

/** Enters the namespaces, then closes the descriptors: a command must not hold other namespaces. */
function joining(nsenter: string): JoinedNetwork['join'] {
  return (argv, first = FIRST_HANDLE) => {
    const [user, network] = [first, first + 1];
    const enter = [`--user=/proc/self/fd/${user}`, `--net=/proc/self/fd/${network}`, '--preserve-credentials'];
    return [nsenter, ...enter, '--', '/bin/sh', '-c', PROGRAMS['join.sh'], 'sh', String(user), String(network), ...argv];
  };
}
