import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { SynapseError } from '@synapse/protocol';
import { PROGRAMS } from '../launch/programs.ts';
import type { Processes } from '../process/processes.ts';
import type { Name } from '../workspace/byte-name.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';

/**
 * The workspace as a command left it, read through the kernel: the kernel's record of a folder that was deleted and
 * recreated cannot be read from here. Mounted on first use, because most commands do not need it.
 */
export class MergedView implements AsyncDisposable {
  readonly #areaPath: string;
  readonly #processes: Processes;
  readonly #signal: AbortSignal;
  readonly #isLinked: boolean;
  readonly #closing = new PassThrough();
  #root: Promise<string> | undefined;
  #ended: Promise<unknown> | undefined;

  /** @param isLinked whether the repository is outside. This mount does not show it. */
  constructor(areaPath: string, processes: Processes, signal: AbortSignal, isLinked = false) {
    this.#isLinked = isLinked;
    this.#areaPath = areaPath;
    this.#processes = processes;
    this.#signal = signal;
  }

  /** Whether a folder contains a name. */
  async has(folder: readonly Name[], name: Name): Promise<boolean> {
    if (this.#isLinked && folder[0] === '.git') throw unseen();
    const root = await (this.#root ??= this.#mount());
    using cursor = new TreeCursor(root);
    for (const part of folder) cursor.enter(part);
    return cursor.stat(name) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.end();
    await this.#ended;
  }

  async #mount(): Promise<string> {
    const unshare = systemProgram('unshare');
    if (unshare === undefined) throw unseen();
    const output = new PassThrough();
    const place = new HandleConfinement(this.#areaPath);
    this.#ended = this.#processes
      .run({
        argv: [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', PROGRAMS['show-copy.sh']],
        cwd: () => place.openDirectory([]),
        signal: this.#signal,
        onInput: (input) => void this.#closing.pipe(input),
        onOutput: (stream, chunk) => void (stream === 'stdout' && output.write(chunk)),
      })
      .catch(() => undefined)
      .finally(() => {
        place[Symbol.dispose]();
        output.end();
      });
    const [first] = (await Promise.race([once(output, 'data'), once(output, 'end').then(() => [])])) as [Buffer?];
    const pid = /^(?<pid>\d+)\n/u.exec(first?.toString() ?? '')?.groups?.['pid'];
    if (pid === undefined) throw unseen();
    return `/proc/${pid}/cwd/merged`;
  }
}

function unseen(): SynapseError {
  return new SynapseError('unavailable', 'What the command did to folders cannot be read here.', {
    hint: 'Run synapse doctor to see what is missing.',
  });
}
