import { openModel, type SessionSetup } from '@synapse/brain';
import type { Approver, Hands } from '@synapse/hands';
import { firstApprover, placeInBranch, recordedRoot } from '@synapse/hands/internal';
import type { Mode } from '@synapse/hands/policy';
import type { ToolCaller } from '@synapse/hands/providers';
import { dialectOf } from '../agent/agent-place.ts';
import { askedFrom } from '../branch/asked-from.ts';
import { consoleApprover, openHands } from '../hands/open-hands.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import type { Output } from '../output/output.ts';
import { clientApprover } from './client-approver.ts';
import { ActivityTeller } from './activity.ts';
import { clientServers, type PassedServer } from './client-servers.ts';
import { editorFolder, inEditor } from './editor-folder.ts';
import type { Face } from './face.ts';
import { knownTools } from './known-tools.ts';
import type { KnownTool } from './tool-calls.ts';
import { UpdateQueue } from './update-queue.ts';
import { WatchedCalls } from './watched-calls.ts';

/** The options of the command line that apply to every session. */
export interface AcpOptions {
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly dialect?: string | undefined;
  readonly allow?: readonly string[];
  readonly readable?: readonly string[];
  readonly sandbox?: string | undefined;
  readonly network?: readonly string[] | undefined;
  readonly maxOutput?: number | undefined;
  readonly mode?: Mode | undefined;
  readonly maxCalls?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly noImages?: boolean;
}

/** Where the calls of a session run, and how its editor sees them. */
export interface AcpPlace extends AsyncDisposable {
  readonly hands: Hands;
  /** The workspace as the editor names it. */
  readonly folder: string;
  readonly tools: ToolCaller;
  readonly model: Awaited<ReturnType<typeof openModel>>;
  readonly setup: Omit<SessionSetup, 'task'>;
  readonly queue: UpdateQueue;
  readonly activity: ActivityTeller;
  readonly calls: WatchedCalls;
  readonly approver: Approver;
  /** The tools of now: those of MCP servers come and go. */
  readonly known: () => (tool: string) => KnownTool | undefined;
  /** Resolves when the MCP servers of the editor are connected, or have failed; what failed was told. */
  readonly connected: Promise<void>;
}

interface Opening {
  readonly sessionId: string;
  readonly cwd: string;
  readonly servers: readonly PassedServer[];
  readonly face: Face;
  readonly err: Output;
}

async function connectAll(hands: Hands, names: readonly string[], err: Output): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const { state, reason = '' } = await hands.mcp.test(name);
      if (state !== 'ready') err.write(`MCP server ${name}: ${state}${reason === '' ? '' : `: ${reason}`}\n`, 'yellow');
    }),
  );
}

/**
 * Opens hands and a model for a session of an editor.
 *
 * @throws SynapseError `denied` if the folder is not a tracked project
 */
export async function openAcpPlace(options: AcpOptions, { sessionId, cwd, servers, face, err }: Opening): Promise<AcpPlace> {
  const { dialect: _, model: name, baseUrl, ...rest } = options;
  const dialect = dialectOf(options);
  const model = await openModel(name, { baseUrl });
  const given = clientServers(servers);
  await using stack = new AsyncDisposableStack();
  const real = placeInBranch(workspaceRoot(cwd));
  const folder = editorFolder(cwd, real);
  const nameOf = (path: string): string => inEditor(path, real, folder);
  const hands = stack.use(
    await openHands({ ...rest, folder: cwd, buffers: face.buffers(sessionId, nameOf) }, { err }, undefined, {
      servers: given,
      connect: 'demand',
    }),
  );
  const queue = new UpdateQueue(face, sessionId);
  const activity = new ActivityTeller(queue);
  const known = (): ReturnType<typeof knownTools> => knownTools(hands, dialect);
  const root = hands.workspace;
  const editor = clientApprover({ face, sessionId, root: folder, known: (tool) => known()(tool), flush: () => queue.sent() });
  const calls = new WatchedCalls(hands, dialect === undefined ? hands : hands.dialect(dialect));
  const connected = connectAll(hands, Object.keys(given), err);
  // Awaited by the first prompt.
  connected.catch(() => undefined);
  const opened = stack.move();
  return {
    hands,
    folder,
    tools: calls.tools,
    model,
    setup: { workspace: recordedRoot(root), model: name ?? '', baseUrl, dialect },
    queue,
    activity,
    calls,
    approver: activity.watched(firstApprover([editor, consoleApprover(askedFrom('synapse acp'), () => root)])),
    known,
    connected,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
