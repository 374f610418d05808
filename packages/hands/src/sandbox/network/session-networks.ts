import { closeSync, openSync } from 'node:fs';
import { FIRST_HANDLE, type InheritedHandle, type Processes, type SessionNetwork } from '../../process/processes.ts';
import type { PinnedDirectory } from '../../workspace/confinement.ts';
import { systemProgram } from '../find-bubblewrap.ts';

/** Longer it does not take to make a namespace, in milliseconds. */
const OPEN_MS = 5_000;
/** Tells which process to look at, and stays until it is told to go. `bwrap` has set up the loopback by then. */
const HOLD = 'echo "$$"; read -r _';

/** A network that a command is put into. */
export interface JoinedNetwork {
  /** What the command has to inherit for it, in this order. */
  readonly handles: readonly InheritedHandle[];
  /** Wraps the whole command line of a sandbox that makes no network of its own. @param first the descriptor of the first handle */
  readonly join: (argv: readonly string[], first?: number) => [string, ...string[]];
}

/** Namespaces, held open: they last as long as these, without any process. */
interface Held extends JoinedNetwork {
  readonly descriptors: readonly number[];
  /** Jobs that live in it. */
  jobs: number;
}

/** How to make one. */
export interface SessionNetworksParts {
  readonly bubblewrap: string;
  /** What runs commands, so that they and the network belong to the same user. */
  readonly processes: Processes;
  readonly cwd: () => PinnedDirectory;
}

/**
 * Networks that the commands of a session share while it has jobs: a server that one has started is reached by the next. Each
 * has a loopback and nothing else, as that of a single command has. Of two sessions none sees the other's.
 */
export class SessionNetworks implements Disposable {
  readonly #parts: SessionNetworksParts;
  readonly #open = new Map<string, Promise<Held | undefined>>();

  constructor(parts: SessionNetworksParts) {
    this.#parts = parts;
  }

  /** The network for a command of a session; undefined where it is to have its own. Disposing it ends the use. */
  async use(wanted: SessionNetwork | undefined): Promise<(JoinedNetwork & Disposable) | undefined> {
    if (wanted === undefined) return undefined;
    const { session, opens = false } = wanted;
    if (opens && !this.#open.has(session)) this.#open.set(session, this.#make());
    const held = await this.#open.get(session);
    if (held === undefined) {
      // It is tried again with the next job: what was missing may have been memory.
      if (opens) this.#open.delete(session);
      return undefined;
    }
    // Each command keeps it, too: it must not be closed between here and the start.
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
        // Whoever runs commands owns the namespaces, and may enter them.
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
      // No such namespace here, or no time: the command gets a network of its own.
    }
    const [user, network] = descriptors;
    if (user === undefined || network === undefined) {
      descriptors.forEach(closeSync);
      return undefined;
    }
    return { descriptors, jobs: 0, handles: [user, network].map((descriptor) => ({ descriptor })), join: joining(nsenter) };
  }
}

/** Enters, and closes what it entered by: a command must hold no namespace but its own. */
function joining(nsenter: string): JoinedNetwork['join'] {
  return (argv, first = FIRST_HANDLE) => {
    const [user, network] = [first, first + 1];
    const enter = [`--user=/proc/self/fd/${user}`, `--net=/proc/self/fd/${network}`, '--preserve-credentials'];
    return [nsenter, ...enter, '--', '/bin/sh', '-c', `exec ${user}<&- ${network}<&-; exec "$@"`, 'sh', ...argv];
  };
}
