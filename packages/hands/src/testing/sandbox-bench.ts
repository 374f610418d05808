import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalProcesses } from '../process/local-processes.ts';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { SandboxProcesses, type SandboxOptions, type SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';

/** Who runs a command in a test. Root is there only where the tests run as root. */
export type TestUser = 'root' | 'user';
export const TEST_USERS: readonly TestUser[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];

const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];

function canRunCheckout(user: TestUser): boolean {
  if (user === 'root' || process.getuid?.() !== 0) return true;
  const [program = '', ...args] = AS_NOBODY;
  const files = [process.execPath, fileURLToPath(import.meta.url)];
  if (files.every((file) => spawnSync(program, [...args, 'test', '-r', file]).status === 0)) return true;
  process.stderr.write('TESTS AS A NORMAL USER LEFT OUT: this checkout lies where others cannot read it.\n');
  return false;
}

/** Those who can also run programs of this checkout itself. */
export const CHECKOUT_USERS: readonly TestUser[] = TEST_USERS.filter(canRunCheckout);

function processesOf(user: TestUser, environment: Readonly<Record<string, string>>): Processes {
  // What no command may see; without it nothing would tell that it is kept back.
  const parentEnvironment = { ...process.env, PARENT_API_KEY: 'parent-secret', SSH_AUTH_SOCK: '/tmp/agent', LD_DEBUG_OUTPUT: '/tmp/x' };
  const local = new LocalProcesses({ environment, parentEnvironment });
  if (user === 'root' || process.getuid?.() !== 0) return local;
  return {
    run: ({ argv, ...rest }) => {
      const [program = '', ...args] = [...AS_NOBODY, ...argv];
      return local.run({ ...rest, argv: [program, ...args] });
    },
  };
}

/** What a command said and how it ended. */
export type Ran<Outcome> = Outcome & { readonly stdout: string; readonly stderr: string };

/** Runs a shell command and takes what it says. */
export async function runShell<Outcome extends ProcessOutcome>(
  run: (request: ProcessRequest) => Promise<Outcome>,
  confinement: HandleConfinement,
  command: string,
  rest: Partial<ProcessRequest> = {},
): Promise<Ran<Outcome>> {
  const taken = { stdout: '', stderr: '' };
  const outcome = await run({
    argv: ['/bin/sh', '-c', command],
    cwd: () => confinement.openDirectory([]),
    hardened: true,
    signal: AbortSignal.timeout(20_000),
    onOutput: (stream, chunk) => {
      taken[stream] += chunk.toString();
    },
    ...rest,
  });
  return { ...outcome, ...taken };
}

/** A workspace, a place outside, and a sandbox on it, all usable by an ordinary user. For tests. */
export class SandboxBench implements AsyncDisposable {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly state: string;
  readonly confinement: HandleConfinement;
  readonly processes: Processes;
  readonly sandbox: SandboxProcesses;

  readonly user: TestUser;

  private constructor(user: TestUser, base: string, processes: Processes, confinement: HandleConfinement, sandbox: SandboxProcesses) {
    this.user = user;
    this.base = base;
    this.workspace = join(base, 'workspace');
    this.outside = join(base, 'outside');
    this.state = join(base, 'state');
    this.processes = processes;
    this.confinement = confinement;
    this.sandbox = sandbox;
  }

  static async open(
    user: TestUser,
    {
      files = {},
      policy = {},
      environment = {},
      network = {},
    }: {
      files?: Record<string, string>;
      policy?: SandboxPolicy;
      environment?: Record<string, string>;
      network?: NonNullable<SandboxOptions['proxy']>;
    } = {},
  ): Promise<SandboxBench> {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-sandbox-')));
    const workspace = join(base, 'workspace');
    for (const folder of [workspace, join(base, 'outside'), join(base, 'state')]) await mkdir(folder);
    await writeFile(join(base, 'outside', 's.txt'), 'outside-secret');
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(workspace, path, '..'), { recursive: true });
      await writeFile(join(workspace, path), content);
    }
    await chmod(base, 0o755);
    if (process.getuid?.() === 0 && user === 'user') execFileSync('chown', ['-R', '65534:65534', base]);
    const processes = processesOf(user, environment);
    const confinement = new HandleConfinement(workspace);
    const sandbox = await SandboxProcesses.open({
      processes,
      confinement,
      // What is listed is found as root here, and could not be reached by the other user.
      policy: user === 'user' && process.getuid?.() === 0 ? { home: [], ...policy } : policy,
      quarantineFolder: join(base, 'state', 'quarantine'),
      asRoot: user === 'root',
      proxy: network,
    });
    return new SandboxBench(user, base, processes, confinement, sandbox);
  }

  /** Starts a process of the same user outside, which a command must not reach. */
  victim(): Disposable & { readonly pid: number } {
    const [program = 'sleep', ...args] = this.user === 'user' && process.getuid?.() === 0 ? [...AS_NOBODY, 'sleep', '60'] : ['sleep', '60'];
    const child = spawn(program, args, { stdio: 'ignore' });
    return { pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill('SIGKILL') };
  }

  at(path: string): string {
    return join(this.workspace, path);
  }

  /** In the sandbox. */
  inside(command: string, rest: Partial<ProcessRequest> = {}): Promise<Ran<SandboxOutcome>> {
    return runShell((request) => this.sandbox.run(request), this.confinement, command, rest);
  }

  /** The same without: the control that tells a refusal from a command that cannot work at all. */
  outsideOf(command: string, rest: Partial<ProcessRequest> = {}): Promise<Ran<ProcessOutcome>> {
    return runShell((request) => this.processes.run(request), this.confinement, command, rest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox[Symbol.asyncDispose]();
    this.confinement[Symbol.dispose]();
    await rm(this.base, { recursive: true, force: true });
  }
}
