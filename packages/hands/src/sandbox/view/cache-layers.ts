import { mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, processIdentity } from '../../workspace/process-identity.ts';
import { removeTree } from '../../workspace/remove-tree.ts';
import { tryRun } from '../try-run.ts';
import { SYSTEM_PATH, systemProgram } from '../find-bubblewrap.ts';

/** The folder name contains the process id, so that folders of killed processes can be found. */
const OWNER = /^layers-(?<pid>\d+)-(?<started>\d*)-/u;
/** The file with the process that took layers over. */
const NEXT_OWNER = 'owner';

/**
 * A single program makes all mounts. If a mount fails, an empty folder stays in its place: the command then has an empty
 * cache, which every package manager supports.
 */
const RUN = `(cd "$1" && PATH=${SYSTEM_PATH} && mount -a -T fstab) 2>/dev/null; shift; exec "$@"`;

/** Escapes white space, `#` and backslashes as octal numbers, for a mount table. */
const inTable = (path: string): string => path.replaceAll(/[\s\\#]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Programs that fill a cache, and programs that start them: builds, scripts and task runners. */
const PROGRAMS =
  'npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|deno|node-gyp|pip[\\d.]*|pipx|uv|uvx|poetry|pdm|hatch|tox|nox|pre-commit|cargo|go|mvn|mvnw|gradle|gradlew|dotnet|nuget|composer|make|gmake|cmake|ninja|meson|just|task|rake|bazel|sh|bash|zsh|dash|playwright|cypress';
const FILLS = new RegExp(`(?:^|[\\s;&|(\`'"=/])(?:${PROGRAMS})(?=$|[\\s;&|)\`'"<>])`, 'u');
/** Words before a program or script: interpreters, programs that start others, and keywords. */
const BEFORE =
  'then|else|do|exec|command|time|env|nohup|nice|timeout|xargs|sudo|setsid|stdbuf|watch|-exec|-execdir|node|tsx|ts-node|python[\\d.]*|ruby|perl|php|java|source|\\.';
/** A program or script in the workspace, not a file that a program reads, as in `ls ./src`. The bound keeps hostile text cheap. */
const OWN = new RegExp(`(?:^|[;&|(\`{!\\n]|(?:^|\\s)(?:${BEFORE})\\s)\\s*(?:(?:-\\S*|\\d\\S*|[A-Za-z_]\\w*=\\S*)\\s+){0,8}['"]?\\.{1,2}\\/\\S`, 'u');

/**
 * Whether a command may write to the cache of a package manager. A writable layer costs some milliseconds. Without one,
 * caches are still readable.
 */
export function needsCaches(argv: readonly string[]): boolean {
  // The options of shells differ, but the command is the last argument.
  const text = argv.includes('-c') ? (argv.at(-1) ?? '') : argv.join(' ');
  return FILLS.test(text) || OWN.test(text);
}

/** The cache layers of one command. Disposing them deletes what the command wrote. */
export interface Layers extends AsyncDisposable {
  /** The folder to mount instead of a cache. */
  readonly source: (cache: string) => string | undefined;
  /** Wraps the command line of the sandbox to mount the layers in its namespace. @param isPrepared whether a namespace already exists */
  readonly wrap: (argv: readonly [string, ...string[]], isPrepared: boolean) => [string, ...string[]];
  /** Makes another process the owner: while it runs, the layers stay. */
  readonly handOver: (owner: string) => void;
}

/**
 * Layers over package caches: a command can read earlier downloads and write anything, but nothing
 * is kept. Otherwise a person could install what a command put there.
 */
export class CacheLayers {
  readonly #folder: string | undefined;
  #works: Promise<boolean> | undefined;

  /** @param folder for written files while commands run, outside the workspace; undefined: no layers */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Opens the layers of a command over at least one cache; undefined if namespaces for the mounts are not possible. */
  async open(caches: readonly string[]): Promise<Layers | undefined> {
    const [above, unshare] = [this.#folder, systemProgram('unshare')];
    if (above === undefined || unshare === undefined) return undefined;
    if (!(await (this.#works ??= begin(above, unshare)))) return undefined;
    const folder = mkdtempSync(join(above, `layers-${processIdentity().replace(' ', '-')}-`));
    const merged = new Map(caches.map((cache, index) => [cache, join(folder, String(index), 'merged')]));
    const lines = caches.map((cache, index) => {
      for (const name of ['upper', 'work', 'merged']) mkdirSync(join(folder, String(index), name), { recursive: true });
      // Mount options cannot escape a comma or a colon, so they use relative names.
      symlinkSync(cache, join(folder, String(index), 'lower'));
      const options = ['lowerdir', 'upperdir', 'workdir'].map((option) => `${option}=${index}/${option.slice(0, -3)}`);
      return `overlay ${inTable(join(folder, String(index), 'merged'))} overlay ${options.join(',')},userxattr,volatile 0 0\n`;
    });
    writeFileSync(join(folder, 'fstab'), lines.join(''));
    return {
      source: (cache) => merged.get(cache),
      wrap: (argv, isPrepared) => {
        const inside: [string, ...string[]] = ['/bin/sh', '-c', RUN, 'sh', folder, ...argv];
        return isPrepared ? inside : [unshare, '--user', '--map-root-user', '--mount', ...inside];
      },
      handOver: (owner) => writeFileSync(join(folder, NEXT_OWNER), owner, { mode: 0o600 }),
      async [Symbol.asyncDispose]() {
        try {
          await removeTree(folder);
        } catch {
          // The command has ended. The cleanup after this process removes the rest.
        }
      },
    };
  }
}

function nextOwner(folder: string): string {
  try {
    return readFileSync(join(folder, NEXT_OWNER), 'utf8');
  } catch {
    // They were not handed over.
    return '';
  }
}

/** Checks whether layers work, and removes those of killed processes. */
async function begin(above: string, unshare: string): Promise<boolean> {
  mkdirSync(above, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(above)) {
    const { pid, started } = OWNER.exec(name)?.groups ?? {};
    if (pid === undefined || isRunning(`${pid} ${started}`) !== false || isRunning(nextOwner(join(above, name))) === true) continue;
    await removeTree(join(above, name));
  }
  const { worked } = await tryRun(unshare, ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', ':']);
  return worked;
}
