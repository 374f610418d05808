import { SessionStore } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { agentOptions } from '../agent/agent-options.ts';
import { openAgentRun } from '../agent/run-session.ts';
import { tellResult } from '../agent/tell-result.ts';
import { defineCommand } from '../command/command.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

/** The session to continue: the named one, else the newest of the folder. */
function findSession(id: string | undefined, folder: string) {
  using store = SessionStore.open(defaultStateFolder());
  if (id !== undefined) return store.named(id);
  const [newest] = store.list(workspaceRoot(folder));
  if (newest !== undefined) return newest;
  throw new SynapseError('not_found', 'No session in this folder.', { hint: 'Start one: synapse run "what to do" --model provider/name' });
}

export const command = defineCommand({
  details: 'Uses the same model and workspace. No call runs twice.',
  arguments: { '[session]': 'its id or its beginning (default: the newest one of this folder)' },
  options: agentOptions,
  examples: [
    ['synapse resume', 'the newest session of this folder'],
    ['synapse resume s-1a2b3c4d --max-calls 50', 'another one, with a limit'],
  ],
  async run(context) {
    const { options, signal } = context;
    const found = findSession(context.arguments.session, options.workspace ?? '.');
    const same = {
      ...options,
      remote: options.remote ?? found.remote,
      workspace: found.remote === undefined ? found.workspace : undefined,
      model: options.model ?? found.model,
      baseUrl: options.baseUrl ?? found.baseUrl,
      dialect: options.dialect ?? found.dialect,
      protocol: options.protocol ?? found.protocol,
    };
    await using agent = await openAgentRun(same, context, found.id);
    return tellResult(await agent.work(undefined, signal), options, context);
  },
});
