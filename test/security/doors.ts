import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createInterface } from 'node:readline';
import { createHands } from '@synapse/hands';
import { BranchStore, FileLocks, holdBranch } from '@synapse/hands/internal';
import { CLI, runCli, runCliProcess } from '../e2e/run-cli.ts';
import { openRemote, remotePlace } from './remote-door.ts';

/** The answer through a door: whether the call worked, and its full text. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
  /** The error code, if the interface reports one. */
  readonly code?: string | undefined;
}

/** An interface of Synapse. */
export interface Door extends AsyncDisposable {
  call(tool: string, input: unknown): Promise<Answer>;
  /** Whether one process answers all calls, so that a call can break later ones. */
  readonly lasting: boolean;
  /** The memory of the process that answers; undefined where that is the process of the tests, or one for each call. */
  readonly memory: DoorMemory | undefined;
  /** Where this process finds the workspace as the door sees it; undefined if that is the workspace itself. */
  readonly view?: string;
  /** The branch in which its calls work. Default: they work in the workspace. */
  readonly branch?: string;
}

/** Measures the memory of another process, in bytes. */
interface DoorMemory {
  /** Resets the peak, and returns what is used now. */
  readonly reset: () => number;
  /** Returns the peak since then. */
  readonly peak: () => number;
}

/** The folders of a door. */
export interface DoorOptions {
  readonly root: string;
  readonly state: string;
}

const environment = (state: string): NodeJS.ProcessEnv => {
  // A shared compile cache: a new state folder has none.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, XDG_STATE_HOME: state };
};

async function openLibrary({ root, state }: DoorOptions): Promise<Door> {
  const hands = await createHands({ workspace: root, stateFolder: join(state, 'synapse'), allow: ['write', 'exec', 'fetch', 'mcp'] });
  return {
    lasting: true,
    memory: undefined,
    async call(tool, input) {
      const result = await hands.call(tool, input);
      return { ok: result.ok, text: JSON.stringify(result), code: result.ok ? undefined : result.error.code };
    },
    [Symbol.asyncDispose]: () => hands[Symbol.asyncDispose](),
  };
}

/** Opens hands on a branch, whose calls run in a process of their own. */
export async function openBranchHands({ root, state }: DoorOptions): Promise<Door> {
  const hands = await createHands({ workspace: root, stateFolder: join(state, 'synapse'), allow: ['write', 'exec', 'fetch', 'mcp'] });
  const branch = await hands.branch('door');
  return {
    lasting: true,
    memory: undefined,
    branch: branch.name,
    async call(tool, input) {
      const result = await branch.call(tool, input);
      return { ok: result.ok, text: JSON.stringify(result), code: result.ok ? undefined : result.error.code };
    },
    [Symbol.asyncDispose]: () => hands[Symbol.asyncDispose](),
  };
}

/** The command line: by default in a process that runs others too, as {@link runCli}; or each in one of its own. */
function cliDoor({ root, state }: DoorOptions, run: typeof runCli): Door {
  const place = { folder: process.cwd(), environment: environment(state) };
  return {
    lasting: false,
    memory: undefined,
    async call(tool, input) {
      const { code, out, err } = await run(place, ['call', tool, '-', '--json', '--yes', '--workspace', root], JSON.stringify(input));
      const answer = out === '' ? undefined : (JSON.parse(out) as { ok: boolean; error?: { code: string } });
      if ((code === 0) !== (answer?.ok === true)) throw new Error(`exit code ${code} does not fit the answer: ${out}${err}`);
      return { ok: code === 0, text: out + err, code: answer?.error?.code };
    },
    async [Symbol.asyncDispose]() {
      // Nothing lasts.
    },
  };
}

const openCli = (options: DoorOptions): Promise<Door> => Promise.resolve(cliDoor(options, runCli));
/** Each call is a separate process. */
export const openCliProcess = (options: DoorOptions): Promise<Door> => Promise.resolve(cliDoor(options, runCliProcess));

async function openMcp({ root, state }: DoorOptions): Promise<Door> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--workspace', root, '--allow', 'write,exec,fetch,mcp'],
    env: environment(state) as Record<string, string>,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'attacker', version: '1.0.0' });
  await client.connect(transport);
  return { ...mcpDoor(client), memory: memoryOf(() => transport.pid), [Symbol.asyncDispose]: () => client.close() };
}

/** MCP in a branch of the workspace, with more words for the command line. */
export async function openBranch({ root, state }: DoorOptions, ...words: readonly string[]): Promise<Door> {
  const stateFolder = join(state, 'synapse');
  const { folder, record } = await new BranchStore(stateFolder, root).create('attacked');
  await using stack = new AsyncDisposableStack();
  const { signal } = new AbortController();
  const held = stack.use(await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--workspace', root, '--branch', record.name, '--allow', 'write,exec,fetch,mcp', ...words],
    env: environment(state) as Record<string, string>,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'attacker', version: '1.0.0' });
  stack.defer(() => client.close());
  await client.connect(transport);
  const opened = stack.move();
  return { ...mcpDoor(client), memory: undefined, branch: record.name, view: held.path(root), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export function memoryOf(pid: () => number | null | undefined): DoorMemory {
  const memory = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+)`, 'u').exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1]) * 1024;
  return {
    reset: () => {
      // proc(5): 5 resets the peak to the current value.
      writeFileSync(`/proc/${pid()}/clear_refs`, '5');
      return memory('VmRSS');
    },
    peak: () => memory('VmHWM'),
  };
}

function mcpDoor(client: Client): Pick<Door, 'call' | 'lasting'> {
  return {
    lasting: true,
    async call(tool, input) {
      try {
        const result = await client.callTool({ name: tool, arguments: input as Record<string, unknown> });
        return { ok: result.isError !== true, text: JSON.stringify(result) };
      } catch (error) {
        // Protocol errors, such as for an unknown tool, are refusals too.
        return { ok: false, text: String(error) };
      }
    },
  };
}

/** Opens MCP over HTTP, with the protocol generation that is not used over stdio. */
async function openMcpHttp({ root, state }: DoorOptions): Promise<Door> {
  const token = randomBytes(32).toString('hex');
  const tokenFile = join(state, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const words = ['mcp', '--http', '--port', '0', '--token-file', tokenFile, '--workspace', root, '--allow', 'write,exec,fetch,mcp'];
  const child = spawn(process.execPath, [CLI, ...words], { env: environment(state), stdio: ['ignore', 'pipe', 'ignore'] });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const client = new Client({ name: 'attacker', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return {
    ...mcpDoor(client),
    memory: memoryOf(() => child.pid),
    async [Symbol.asyncDispose]() {
      await client.close();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Opens an MCP client at the other end of a relay. */
export async function openMcpRemote(options: DoorOptions): Promise<Door> {
  await using stack = new AsyncDisposableStack();
  const { relay } = stack.use(await remotePlace({ ...options, allow: ['write', 'exec', 'fetch', 'mcp'], isPaired: false }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--remote', `${relay}#desk`],
    env: environment(options.state) as Record<string, string>,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'attacker', version: '1.0.0' });
  stack.defer(() => client.close());
  await client.connect(transport);
  const opened = stack.move();
  return { ...mcpDoor(client), memory: undefined, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** All doors by name. */
export const DOORS = { library: openLibrary, cli: openCli, mcp: openMcp, 'mcp-http': openMcpHttp, remote: openRemote } as const satisfies Record<
  string,
  (options: DoorOptions) => Promise<Door>
>;
