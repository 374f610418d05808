import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { Projects } from '@synapse/hands/internal';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { AcpOptions } from '../../packages/cli/src/acp/acp-place.ts';
import { serveAcp } from '../../packages/cli/src/acp/serve-acp.ts';

/** The answer to a question: the id of an option, or undefined for "cancelled". */
export type Answering = (question: RequestPermissionRequest, signal: AbortSignal) => Promise<string | undefined> | string | undefined;

/** What an editor does with its files: fails for a file that it cannot open. */
export interface EditorFiles {
  readonly read: (path: string) => Promise<string> | string;
  /** Undefined if it offers reading only. */
  readonly write?: (path: string, text: string) => Promise<void> | void;
}

/** An editor of the SDK, connected to an agent in this process. */
export interface TestEditor extends AsyncDisposable {
  readonly folder: string;
  readonly agent: ClientConnection['agent'];
  readonly updates: readonly SessionUpdate[];
  readonly questions: readonly RequestPermissionRequest[];
  /** What the agent wrote on stderr. */
  readonly told: () => string;
  /** Begins a session in the folder, or under another name of it. */
  begin(cwd?: string): Promise<string>;
  /** Sends a text, and returns how the prompt ended. */
  say(session: string, text: string): Promise<string>;
  /** The text of all messages of the agent. */
  text(): string;
  /** Closes the connection, and waits until the agent has ended. */
  leave(): Promise<void>;
}

/** A tracked folder with a state folder of its own. */
export async function acpFolder(files: Readonly<Record<string, string>> = {}): Promise<{ readonly base: string; readonly folder: string }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-acp-')));
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'synapse-acp-workspace-')));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  vi.stubEnv('XDG_STATE_HOME', join(base, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', join(base, 'config'));
  using projects = Projects.open(join(base, 'state', 'synapse'));
  projects.add(folder);
  return { base, folder };
}

/** Connects an editor to an agent. */
export async function openEditor(
  { folder }: { readonly folder: string },
  options: AcpOptions,
  answer: Answering = () => 'reject',
  files?: EditorFiles,
): Promise<TestEditor> {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toEditor = new TransformStream<Uint8Array, Uint8Array>();
  const ending = new AbortController();
  let told = '';
  const err = { isTerminal: false, columns: 80, write: (text: string) => void (told += text), show: () => undefined };
  const served = serveAcp({ options, version: '0', err, input: toAgent.readable, output: toEditor.writable, signal: ending.signal });
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }): Promise<RequestPermissionResponse> => {
      questions.push(params);
      const optionId = await answer(params, signal);
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: (await files?.read(params.path)) ?? '' }))
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      await files?.write?.(params.path, params.content);
      return {};
    })
    .connect(ndJsonStream(toAgent.writable, toEditor.readable));
  const { agent } = connection;
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: files !== undefined, writeTextFile: files?.write !== undefined } },
  });
  const leave = async (): Promise<void> => {
    connection.close();
    // What a process does when its stdin ends.
    await toAgent.writable.close().catch(() => undefined);
    await served;
  };
  return {
    folder,
    agent,
    updates,
    questions,
    told: () => told,
    begin: async (cwd = folder) => (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId,
    say: async (sessionId, text) => (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })).stopReason,
    text: () =>
      updates.map((update) => (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '')).join(''),
    leave,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await served;
      vi.unstubAllEnvs();
    },
  };
}
