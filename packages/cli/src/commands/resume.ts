import { SessionStore, type SessionRecord } from '@synapse/brain';
import { BranchStore, defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { agentOptions } from '../agent/agent-options.ts';
import { openAgentRun } from '../agent/open-agent-run.ts';
import { tellResult } from '../agent/tell-result.ts';
import { currentBranch } from '../branch/branch-variable.ts';
import { runInBranch } from '../branch/run-in-branch.ts';
import { defineCommand } from '../command/command.ts';
import { sessionsRoot, workspaceRoot } from '../hands/workspace-root.ts';

/** The session to continue: the named one, else the newest of the folder and its branches, or of the branch that this process works in. */
function findSession(id: string | undefined, folder: string): SessionRecord {
  using store = SessionStore.open(defaultStateFolder());
  if (id !== undefined) {
    const named = store.named(id);
    // Refused before a model is opened.
    store.resume(named.id);
    return named;
  }
  const here = currentBranch();
  const branches = here === undefined ? namesOfBranches(workspaceRoot(folder)) : [here];
  const own = store.list(sessionsRoot(folder)).filter(({ importedFrom }) => importedFrom === undefined);
  const newest = own.find(({ branch }) => (branch === undefined ? here === undefined : branches.includes(branch)));
  if (newest !== undefined) return newest;
  throw new SynapseError('not_found', 'No session in this folder.', { hint: 'Start one: synapse run "what to do" --model provider/name' });
}

/** The branches of a workspace that exist. */
function namesOfBranches(workspace: string): string[] {
  return new BranchStore(defaultStateFolder(), workspace).list().map(({ record }) => record.name);
}

/**
 * The branch of a session, if this process has yet to enter it.
 *
 * @throws SynapseError `invalid_arguments` if this process works elsewhere, `not_found` if the branch was deleted
 */
function branchOf({ id, branch, workspace }: SessionRecord): string | undefined {
  const here = currentBranch();
  if (branch === here) return undefined;
  if (branch === undefined || here !== undefined)
    throw new SynapseError('invalid_arguments', `The session ${id} works in ${branch === undefined ? 'the workspace' : `the branch ${branch}`}.`, {
      hint: 'Leave --branch out: a session continues where it was begun.',
    });
  if (namesOfBranches(workspace).includes(branch)) return branch;
  throw new SynapseError('not_found', `The branch ${branch} of the session ${id} was deleted.`, {
    hint: `What was said and done: synapse sessions show ${id}`,
  });
}

export const command = defineCommand({
  details: 'Same model, workspace and branch; no call runs twice.',
  arguments: { '[session]': 'its id or its beginning (default: the newest one of this folder)' },
  options: agentOptions,
  examples: [
    ['synapse resume', 'the newest session of this folder'],
    ['synapse resume s-1a2b3c4d --max-calls 50', 'another one, with a limit'],
  ],
  async run(context) {
    const { options, signal } = context;
    const found = findSession(context.arguments.session, options.workspace ?? '.');
    const branch = branchOf(found);
    if (branch !== undefined) return await runInBranch(branch, found.workspace, context);
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
