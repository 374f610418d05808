import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('fixtures/command-lines.ts', import.meta.url));
/** Processes that are kept for the next command line; each takes about 80 MB. */
const MOST_IDLE = 2;
/** What differs between places, and is read anew for each command line. All else may be remembered by the program. */
const READ_ANEW = new Set(['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME']);

/** A command line, and what it is run in. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: string;
}

/** What a command line printed, and its exit code. */
export interface CommandLineResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Host {
  readonly child: ChildProcess;
  readonly key: string;
}

const idle: Host[] = [];

/** The environment that a process keeps for all of its command lines. */
const keyOf = ({ environment }: CommandLine): string =>
  JSON.stringify(
    Object.keys(environment)
      .toSorted((one, other) => (one < other ? -1 : 1))
      .flatMap((name) => (READ_ANEW.has(name) ? [] : [name, environment[name]])),
  );

async function startHost(line: CommandLine): Promise<Host> {
  const child = fork(HOST, [], { env: line.environment, serialization: 'advanced', execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return { child, key: keyOf(line) };
}

/** Kept for the next, as long as the test file lasts. */
function keep(host: Host): void {
  host.child.unref();
  host.child.channel?.unref();
  idle.push(host);
  if (idle.length > MOST_IDLE) idle.shift()?.child.disconnect();
}

async function take(line: CommandLine): Promise<Host> {
  const index = idle.findIndex(({ key }) => key === keyOf(line));
  if (index === -1) return await startHost(line);
  const [host] = idle.splice(index, 1);
  if (host === undefined) throw new Error('A host was lost.');
  host.child.ref();
  host.child.channel?.ref();
  return host;
}

/** Runs a command line of the built program in a process that runs others too; those at the same time get one each. */
export async function runInHost(line: CommandLine): Promise<CommandLineResult> {
  const host = await take(line);
  const answer = new Promise<CommandLineResult>((resolve, reject) => {
    const lost = (code: number | null, signal: NodeJS.Signals | null): void =>
      reject(new Error(`The process of the command line ended with ${signal ?? code}: ${line.words.join(' ')}`));
    host.child.once('exit', lost);
    host.child.once('message', (result: CommandLineResult) => {
      host.child.off('exit', lost);
      resolve(result);
    });
  });
  host.child.send(line);
  const result = await answer;
  keep(host);
  return result;
}
