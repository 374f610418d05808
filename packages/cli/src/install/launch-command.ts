import { SynapseError } from '@synapse/protocol';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ClientDefinition, ServerCommand } from './clients.ts';

/** Milliseconds for the server to start and, without a client, to end. */
const START_MS = 20_000;

/**
 * The command that starts the server, with absolute paths: desktop clients start programs with a PATH that has neither npx
 * nor, often, node.
 *
 * @param words the words after `synapse mcp`
 */
export function launchCommand(words: readonly string[]): ServerCommand {
  return { command: process.execPath, words: [fileURLToPath(new URL('../../bin/synapse.js', import.meta.url)), 'mcp', ...words] };
}

/** Throws if the client would expand part of the command: a folder may be called `${HOME}`. */
export function assertLiteral({ title, expands }: Pick<ClientDefinition, 'title' | 'expands'>, { command, words }: ServerCommand): void {
  const replaced = expands === undefined ? undefined : [command, ...words].find((word) => expands.test(word));
  if (replaced === undefined) return;
  throw new SynapseError('invalid_arguments', `${title} would replace a part of ${JSON.stringify(replaced)} before it starts the server.`, {
    hint: 'Use a path without such characters.',
  });
}

/**
 * Starts the server as a client would, closes its input, and waits for it to end. Uses a temporary workspace and state,
 * so that the test leaves nothing behind.
 *
 * @param words the words after `synapse mcp`, without the workspace
 * @throws SynapseError `tool_failed` with the server's message if it does not work
 */
export async function assertStarts(words: readonly string[], signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-trial-'));
  try {
    const workspace = join(folder, 'workspace');
    await mkdir(workspace);
    const { code, said } = await run(launchCommand(['--workspace', workspace, ...words]), join(folder, 'state'), signal);
    // Before the error, the server prints a line about its test workspace.
    const why = said.slice(Math.max(0, said.search(/^Error: /mu))).replace(/^Error: /u, '');
    if (code !== 0) throw new SynapseError('tool_failed', `The server would not start, so nothing was changed: ${why.trim().slice(0, 2_000)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run({ command, words }: ServerCommand, state: string, signal: AbortSignal): Promise<{ code: number | null; said: string }> {
  const child = spawn(command, words, {
    cwd: '/',
    // The same minimal environment as under a desktop client.
    env: { ...process.env, ...(process.platform === 'win32' ? {} : { PATH: '/usr/bin:/bin' }), XDG_STATE_HOME: state },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(START_MS)]),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    const [said, code] = await Promise.all([text(child.stderr), ended]);
    return { code, said };
  } catch (error) {
    throw new SynapseError('tool_failed', 'The command of the server could not be run to its end. Nothing was changed.', { cause: error });
  }
}
