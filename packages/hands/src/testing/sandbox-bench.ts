import { chmod, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalProcesses } from '../process/local-processes.ts';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import type { SandboxOptions } from '../sandbox/sandbox-options.ts';
import { openLandlock } from '../sandbox/landlock/open-landlock.ts';
import { SandboxProcesses, type SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import { AttributeWorker } from '../transaction/attribute-worker.ts';
import { opaqueMarks } from '../transaction/exact-attributes.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';

/** User that runs a command in a test. Root is included only if the tests run as root. */
export type TestUser = 'root' | 'user';
export const TEST_USERS: readonly TestUser[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];

const AS_OTHER_USER = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];

/** Makes the workspace, a folder outside with a secret in it, and a home. */
async function fill(base: string, files: Readonly<Record<string, string>>, homeFiles: Readonly<Record<string, string>>): Promise<void> {
  for (const folder of ['workspace', 'outside', 'state', 'home']) await mkdir(join(base, folder));
  await writeFile(join(base, 'outside', 's.txt'), 'outside-secret');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(base, 'workspace', path, '..'), { recursive: true });
    await writeFile(join(base, 'workspace', path), content);
  }
  for (const [name, content] of Object.entries(homeFiles)) await writeFile(join(base, 'home', name), content);
  await chmod(base, 0o755);
}

function canRunCheckout(user: TestUser): boolean {
  if (user === 'root' || process.getuid?.() !== 0) return true;
  const [program = '', ...args] = AS_OTHER_USER;
  const files = [process.execPath, fileURLToPath(import.meta.url)];
  if (files.every((file) => spawnSync(program, [...args, 'test', '-r', file]).status === 0)) return true;
  process.stderr.write('TESTS AS A NORMAL USER LEFT OUT: this checkout lies where others cannot read it.\n');
  return false;
}

/** Users that can run programs of this checkout. */
export const CHECKOUT_USERS: readonly TestUser[] = TEST_USERS.filter(canRunCheckout);

function processesOf(user: TestUser, environment: Readonly<Record<string, string>>): Processes {
  // Variables that no command may see; the tests check that they are removed.
  const parentEnvironment = { ...process.env, PARENT_API_KEY: 'parent-secret', SSH_AUTH_SOCK: '/tmp/agent', LD_DEBUG_OUTPUT: '/tmp/x' };
  const local = new LocalProcesses({ environment, parentEnvironment });
  if (user === 'root' || process.getuid?.() !== 0) return local;
  return {
    run: ({ argv, ...rest }) => {
      const [program = '', ...args] = [...AS_OTHER_USER, ...argv];
      return local.run({ ...rest, argv: [program, ...args] });
    },
  };
}

/** The outcome and output of a command. */
export type Ran<Outcome> = Outcome & { readonly stdout: string; readonly stderr: string };

/** For what never ends. The message is one for which the configuration of the tests gives a second try. */
const GIVE_UP_MS = 60_000;

/** Runs a shell command and captures its output. Where no signal is given, it throws if the command does not end within a minute. */
export async function runShell<Outcome extends ProcessOutcome>(
  run: (request: ProcessRequest) => Promise<Outcome>,
  confinement: HandleConfinement,
  command: string,
  rest: Partial<ProcessRequest> = {},
): Promise<Ran<Outcome>> {
  const taken = { stdout: '', stderr: '' };
  const giveUp = rest.signal === undefined ? AbortSignal.timeout(GIVE_UP_MS) : undefined;
  const outcome = await run({
    argv: ['/bin/sh', '-c', command],
    cwd: () => confinement.openDirectory([]),
    hardened: true,
    signal: giveUp ?? new AbortController().signal,
    onOutput: (stream, chunk) => {
      taken[stream] += chunk.toString();
    },
    ...rest,
  });
  if (giveUp?.aborted === true) throw new Error(`The command timed out in ${GIVE_UP_MS}ms: ${command}`);
  return { ...outcome, ...taken };
}

interface BenchSettings {
  readonly files?: Record<string, string>;
  readonly policy?: SandboxPolicy;
  readonly environment?: Record<string, string>;
  readonly network?: NonNullable<SandboxOptions['proxy']>;
  /** Where secrets come from. */
  readonly edge?: NonNullable<SandboxOptions['edge']>;
  readonly rootNames?: (base: string) => readonly string[];
  /** Path of the workspace. Default: a new folder. */
  readonly at?: string;
  /** Whether to use a new home folder. Default: for another user, who cannot access the one of root. */
  readonly ownHome?: boolean;
  /** Files for the new home folder. */
  readonly homeFiles?: Record<string, string>;
  /** Whether what commands write to caches is kept for later ones. */
  readonly keepsCaches?: boolean;
  /** What confines commands. Landlock and others only as the user of the tests, who owns the private folders of commands. */
  readonly tier?: 'bubblewrap' | 'landlock' | { readonly open: (options: SandboxOptions) => Promise<SandboxProcesses> };
}

const DEFAULTS = {
  files: {},
  policy: {},
  environment: {},
  network: {},
  rootNames: (): readonly string[] => [],
  homeFiles: {},
  keepsCaches: false,
  tier: 'bubblewrap',
} as const satisfies BenchSettings;

/** Whether a user differs from the one of the tests. */
const isOther = (user: TestUser): boolean => user === 'user' && process.getuid?.() === 0;

/** A workspace, a folder outside it, and a sandbox, all usable by an ordinary user. For tests. */
export class SandboxBench implements AsyncDisposable {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly state: string;
  /** Home folder of the user. */
  readonly home: string;
  readonly confinement: HandleConfinement;
  readonly processes: Processes;
  readonly sandbox: SandboxProcesses;
  /** Reads marks of layers that are kept. */
  readonly #attributes: AttributeWorker;

  readonly user: TestUser;

  private constructor(
    user: TestUser,
    base: string,
    home: string,
    processes: Processes,
    confinement: HandleConfinement,
    sandbox: SandboxProcesses,
    attributes: AttributeWorker,
  ) {
    this.#attributes = attributes;
    this.user = user;
    this.base = base;
    this.workspace = confinement.root;
    this.outside = join(base, 'outside');
    this.state = join(base, 'state');
    this.home = home;
    this.processes = processes;
    this.confinement = confinement;
    this.sandbox = sandbox;
  }

  static async open(user: TestUser, given: BenchSettings = {}): Promise<SandboxBench> {
    const settings = { ...DEFAULTS, ownHome: isOther(user), ...given };
    const { files, policy, environment, network, edge, rootNames, at, ownHome, homeFiles, keepsCaches, tier } = settings;
    // Another user may not reach the launcher in the checkout.
    if (!CHECKOUT_USERS.includes(user)) process.env['SYNAPSE_LAUNCHER'] = 'scripts';
    const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-sandbox-')));
    const workspace = join(base, 'workspace');
    await fill(base, files, homeFiles);
    if (process.getuid?.() === 0 && user === 'user') execFileSync('chown', ['-R', '65534:65534', base]);
    const HOME = ownHome ? join(base, 'home') : homedir();
    const processes = processesOf(user, { HOME, ...environment });
    const confinement = new HandleConfinement(at ?? workspace);
    const attributes = new AttributeWorker();
    const kept = {
      folder: join(base, 'state', 'caches', 'project'),
      root: confinement.root,
      locks: new FileLocks(join(base, 'state', 'locks')),
      marks: opaqueMarks(attributes),
    };
    const options: SandboxOptions = {
      processes,
      confinement,
      policy,
      quarantineFolder: join(base, 'state', 'quarantine'),
      rootNames: rootNames(base),
      // A folder that another user writes to would have to be created by that user.
      ...(isOther(user) ? {} : { layersFolder: join(base, 'state', 'layers') }),
      ...(keepsCaches ? { keptCaches: kept } : {}),
      variables: isOther(user) ? { HOME, PATH: '/usr/local/bin:/usr/bin:/bin', ...environment } : { ...process.env, HOME, ...environment },
      asRoot: user === 'root',
      proxy: network,
      ...(edge === undefined ? {} : { edge }),
      runsFolder: join(base, 'state', 'runs'),
    };
    const open = { landlock: openLandlock, bubblewrap: async (given: SandboxOptions) => await SandboxProcesses.open(given) };
    const sandbox = await (typeof tier === 'object' ? tier : { open: open[tier] }).open(options);
    return new SandboxBench(user, base, HOME, processes, confinement, sandbox, attributes);
  }

  /** Starts a process of the same user outside the sandbox, which commands must not reach. */
  victim(): Disposable & { readonly pid: number } {
    const [program = 'sleep', ...args] = this.user === 'user' && process.getuid?.() === 0 ? [...AS_OTHER_USER, 'sleep', '60'] : ['sleep', '60'];
    const child = spawn(program, args, { stdio: 'ignore' });
    return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill('SIGKILL') };
  }

  at(path: string): string {
    return join(this.workspace, path);
  }

  /** Runs a command in the sandbox. */
  inside(command: string, rest: Partial<ProcessRequest> = {}): Promise<Ran<SandboxOutcome>> {
    return runShell((request) => this.sandbox.run(request), this.confinement, command, rest);
  }

  /** Runs a command without a sandbox: the control, which separates a refusal from a command that never works. */
  outsideOf(command: string, rest: Partial<ProcessRequest> = {}): Promise<Ran<ProcessOutcome>> {
    return runShell((request) => this.processes.run(request), this.confinement, command, rest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox[Symbol.asyncDispose]();
    this.#attributes[Symbol.dispose]();
    this.confinement[Symbol.dispose]();
  }
}
