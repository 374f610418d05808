import { spawn, type ChildProcess } from 'node:child_process';
import { SynapseError } from '@synapse/protocol';
import { Link, type Handlers } from '../branch-hands/link.ts';
import { AT_OWNER, IN_BRANCH } from '../branch-hands/methods.ts';
import { processPort } from '../branch-hands/ports.ts';
import type { HeldBranch } from '../branch/hold-branch.ts';
import { closedStdio } from '../process/hardening.ts';
import { displayText } from '../workspace/byte-name.ts';
import { compiledCode, ownProgram } from './own-program.ts';

/** Milliseconds within which a process ends what it started, after its owner has gone. */
const ENDING_MS = 30_000;
/** Characters of its error output that are kept, to say why it ended. */
const MAX_SAID = 2_000;

export type LinkToBranch = Link<typeof AT_OWNER, typeof IN_BRANCH>;

/** The process in which the hands of a branch run. */
export interface BranchProcess {
  readonly link: LinkToBranch;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Whether this process waits for it, instead of ending beside it. */
  keep(isAwaited: boolean): void;
  /** Ends it, and what it started; resolves when it has ended. */
  end(): Promise<void>;
}

/** What a process of a branch requires. */
export interface StartParts {
  readonly name: string;
  readonly held: HeldBranch;
  /** Real path of the workspace. */
  readonly root: string;
  /** That of the workspace. */
  readonly stateFolder: string;
  readonly handlers: Handlers<typeof AT_OWNER>;
  /** What it opens its hands with. */
  readonly opening: Parameters<Handlers<typeof IN_BRANCH>['open']>[0];
}

/** Starts the process of a branch. Does not wait until it is ready: requests wait there. */
export function startBranch({ name, held, root, stateFolder, handlers, opening }: StartParts): BranchProcess {
  const [command, ...words] = held.enter(ownProgram('serve-branch'), root);
  const child = spawn(command, words, {
    env: { ...process.env, ...compiledCode(stateFolder), ...held.environment },
    // In a session of its own: Ctrl+C of a terminal ends calls by their signals, not this process.
    detached: true,
    cwd: '/',
    serialization: 'advanced',
    // The branch stays mounted as long as this process runs, even if its owner is killed.
    stdio: closedStdio(['ignore', 'ignore', 'pipe', 'ipc', held.descriptor]),
  });
  const link: LinkToBranch = new Link(processPort(child), AT_OWNER, handlers, IN_BRANCH);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let said = '';
  let isReady = false;
  // If it fails, each request reports it.
  link.request('open', opening).then(
    () => (isReady = true),
    () => {},
  );
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (said = `${said}${text}`.slice(-MAX_SAID)));
  child.on('error', (error) => {
    link.end(gone(name, error.message, ''));
    resolve();
  });
  child.once('exit', (code, signal) => {
    link.end(gone(name, signal === null ? `exit code ${code}` : `by ${signal}`, isReady ? '' : said));
    resolve();
  });
  const keep = (isAwaited: boolean): void => {
    for (const one of [child, child.channel, child.stderr]) setAwaited(one, isAwaited);
  };
  keep(false);
  return { link, ended, keep, end: async () => await end(child, ended, keep) };
}

async function end(child: ChildProcess, ended: Promise<void>, keep: (isAwaited: boolean) => void): Promise<void> {
  keep(true);
  const timer = setTimeout(() => child.kill('SIGKILL'), ENDING_MS);
  if (child.connected) child.disconnect();
  await ended;
  clearTimeout(timer);
}

/** Streams and channels can be waited for or not, which the types of some do not say. */
function setAwaited(one: object | null | undefined, isAwaited: boolean): void {
  const change: unknown = one === null || one === undefined ? undefined : Reflect.get(one, isAwaited ? 'ref' : 'unref');
  if (typeof change === 'function') Reflect.apply(change, one, []);
}

function gone(name: string, how: string, said: string): SynapseError {
  const last = displayText(said.trim().split('\n').at(-1) ?? '');
  return new SynapseError('unavailable', `The process of the branch ${name} ended (${how})${last === '' ? '' : `: ${last.slice(0, 200)}`}.`, {
    hint: 'What was changed in the branch is kept. Repeat the call: it starts a new process.',
    retryable: true,
  });
}
