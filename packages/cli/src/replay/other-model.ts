import { type SessionRecord, SessionStore, type TaskContent } from '@synapse/brain';
import { count, defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { AgentOptionValues } from '../agent/agent-options.ts';
import { openAgentRun } from '../agent/open-agent-run.ts';
import { tellResult } from '../agent/tell-result.ts';
import { currentBranch } from '../branch/branch-variable.ts';
import { enterBranch } from '../branch/enter-branch.ts';
import type { CommandIo } from '../command/command.ts';
import { openHands } from '../hands/open-hands.ts';
import { inLine } from '../output/visible-text.ts';
import { findRecording, type Recording } from './recording.ts';
import { makeStartBranch } from './start-branch.ts';

/** The model that works on the task of a session again. */
export type OtherModel = Pick<AgentOptionValues, 'model' | 'baseUrl' | 'maxCalls' | 'yes' | 'json'>;

/** What a person said before the model's first answer. Undefined for a protocol, which says it itself. */
function taskOf({ session, messages }: Recording): TaskContent | undefined {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const said = messages.slice(0, first === -1 ? undefined : first).flatMap((message) => (message.role === 'user' ? message.content : []));
  const [text] = said.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (session.protocol !== undefined && text !== session.task) return undefined;
  if (said.length > 0) return said;
  throw new SynapseError('invalid_arguments', `The session ${session.id} has no task that another model could work on.`);
}

/** Works on the task in the branch that this process was started in. */
async function workInBranch(recording: Recording, { model, baseUrl, maxCalls, yes, json }: OtherModel, io: CommandIo): Promise<number> {
  const { protocol, dialect, workspace } = recording.session;
  const options = { model, baseUrl, maxCalls, yes, json, jsonl: false, protocol, dialect, workspace, allow: ['write'] };
  await using agent = await openAgentRun(options, io);
  return tellResult(await agent.work(taskOf(recording), io.signal), options, io);
}

/** The session that worked in a branch. */
function sessionIn(branch: string, workspace: string): SessionRecord | undefined {
  using store = SessionStore.open(defaultStateFolder());
  return store.list(workspace).find((session) => session.branch === branch);
}

const summary = ({ id, model, status, calls }: SessionRecord): string => `${id}: ${inLine(model)}, ${status}, ${count(calls, 'call')}`;

/** Lets another model work on the task of a session, in a branch of the workspace as it was at the start. Returns the exit code. */
export async function replayWithModel(named: string, options: OtherModel, io: CommandIo): Promise<number> {
  const { err, signal } = io;
  const recording = findRecording(named);
  if (currentBranch() !== undefined) return await workInBranch(recording, options, io);
  // Before a branch is made.
  taskOf(recording);
  const { session } = recording;
  const start = await (async () => {
    await using hands = await openHands({ folder: session.workspace }, { err });
    return { ...(await makeStartBranch(recording, hands, signal)), root: hands.workspace };
  })();
  for (const note of start.notes) err.write(`${note}\n`, 'yellow');
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)] as const;
  const code = await enterBranch({ name: start.name, root: start.root, argv, folder: process.cwd(), err, signal });
  const made = sessionIn(start.name, session.workspace);
  err.write(`Recorded  ${summary(session)}\n${made === undefined ? '' : `Now       ${summary(made)}\n`}`, 'dim');
  err.write(`What it changed is in a branch: synapse branch diff ${start.name}\n`, 'dim');
  return code;
}
