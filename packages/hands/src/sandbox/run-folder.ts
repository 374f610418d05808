import { mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { removeContent, removeTree } from '../workspace/remove-tree.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import type { HomeFile } from './run-files.ts';

/** The private folders of one command, which are removed with it. */
export interface RunFolder extends AsyncDisposable {
  readonly path: string;
  readonly home: string;
  readonly temporary: string;
  /** What leads the command to them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What a private home folder has. */
export interface HomeParts {
  readonly files: readonly HomeFile[];
  /** The home folder of the user, and the places in it that the command may read. */
  readonly home: string;
  readonly shown: readonly string[];
}

/** The folder name contains the process, so that those of killed processes can be found. */
const OWNER = /^run-(?<pid>\d+)-(?<started>\d*)-/u;
/** Where programs keep what is theirs, below the home folder (XDG Base Directory Specification 0.8). */
const XDG = { XDG_CONFIG_HOME: '.config', XDG_CACHE_HOME: '.cache', XDG_DATA_HOME: '.local/share', XDG_STATE_HOME: '.local/state' };

/** The private folders of the commands of one sandbox. Disposing it waits until all are gone. */
export class RunFolders implements AsyncDisposable {
  readonly #parent: string | undefined;
  readonly #ending = new Set<Promise<void>>();

  /** @param parent Default: the folder for temporary files */
  constructor(parent: string | undefined) {
    this.#parent = parent;
  }

  /** Makes those of one command. */
  make(parts: HomeParts): RunFolder {
    const made = makeFolders(this.#parent, parts);
    return { ...made, [Symbol.asyncDispose]: async () => await this.#remove(made.path) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** What the command left is gone then. No call waits for the folders of it. */
  async #remove(path: string): Promise<void> {
    const removeFolders = await removeContent(path);
    // What cannot be removed is found again when the next sandbox opens.
    const ending: Promise<void> = removeFolders()
      .catch(() => {})
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

/** Makes the folders of one command. Without namespaces they have other paths than those that they stand for. */
function makeFolders(parent: string | undefined, { files, home, shown }: HomeParts): Omit<RunFolder, typeof Symbol.asyncDispose> {
  if (parent !== undefined) mkdirSync(parent, { recursive: true, mode: 0o700 });
  const path = realpathSync(mkdtempSync(join(parent ?? tmpdir(), `run-${processIdentity().replace(' ', '-')}-`)));
  const own = join(path, 'home');
  const temporary = join(path, 'tmp');
  for (const folder of [own, temporary]) mkdirSync(folder, { mode: 0o700 });
  const linked: string[] = [];
  const isLinked = (place: string): boolean => linked.some((other) => isWithin(place, other));
  // A folder before what is in it, which needs no link then: nothing must be made through one.
  for (const place of shown.toSorted()) {
    if (place === home || !isWithin(place, home) || isLinked(place)) continue;
    const at = join(own, place.slice(home.length + 1));
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(place, at);
    linked.push(place);
  }
  for (const { name, content } of files) {
    if (isLinked(join(home, name))) continue;
    mkdirSync(dirname(join(own, name)), { recursive: true });
    writeFileSync(join(own, name), Buffer.from(content, 'latin1'), { mode: 0o600 });
  }
  const xdg = Object.entries(XDG).map(([variable, name]) => [variable, join(own, name)]);
  return {
    path,
    home: own,
    temporary,
    environment: { HOME: own, TMPDIR: temporary, TMP: temporary, TEMP: temporary, ...Object.fromEntries(xdg) },
  };
}

/** Removes the folders of commands of processes that were killed. */
export async function removeAbandonedRuns(parent: string): Promise<void> {
  let names: string[];
  try {
    names = readdirSync(parent);
  } catch {
    // There are none.
    return;
  }
  for (const name of names) {
    const { pid, started } = OWNER.exec(name)?.groups ?? {};
    // Without a start time only the number is known, which may belong to another container.
    if (pid !== undefined && started !== '' && isRunning(`${pid} ${started}`) === false) await removeTree(join(parent, name));
  }
}
