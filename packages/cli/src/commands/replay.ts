import { isSynapseError, SynapseError } from '@synapse/protocol';
import { modelOptions } from '../agent/agent-options.ts';
import { currentBranch } from '../branch/branch-variable.ts';
import { defineCommand } from '../command/command.ts';
import { flag, text } from '../command/option.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { findAuditedSession } from '../replay/audited-session.ts';
import { findRecording, type Recording } from '../replay/recording.ts';
import { callsUntil, runReplay } from '../replay/run-replay.ts';
import { makeStartBranch } from '../replay/start-branch.ts';

/** A session of a model, or of a client that is only in the audit log of the folder. */
function recordingOf(named: string, folder: string | undefined): Recording {
  try {
    return findRecording(named);
  } catch (error) {
    if (!isSynapseError(error) || error.code !== 'not_found') throw error;
    const audited = findAuditedSession(named, workspaceRoot(folder));
    if (audited === undefined) throw error;
    return audited;
  }
}

export const command = defineCommand({
  details: 'In a branch of the workspace as it was when the session began: its calls with the recorded arguments, and how their answers differ.',
  notes:
    'Files are changed in the branch without a question. What reaches more, such as a background job, is not done again without --yes. Exit codes: 0 if all calls ended as recorded, but for times, random values, timing and the network; 1 otherwise.',
  arguments: { '<session>': 'its id or its beginning: synapse sessions, or for clients synapse log --json' },
  options: {
    workspace: { ...workspace, description: 'for a session of a client: its folder (default: the current one)', rare: true },
    until: text('<call>', 'stop after this call: synapse log --session'),
    yes: { ...yes, description: 'allow again what the calls were allowed at the recording' },
    keep: flag('keep the branch, to look at it'),
    model: { ...modelOptions.model, description: 'let this model work on the task instead, from the same start' },
    baseUrl: modelOptions.baseUrl,
    maxCalls: { ...modelOptions.maxCalls, rare: true },
    json,
  },
  examples: [
    ['synapse replay s-1a2b3c4d', 'run its calls again, and compare'],
    ['synapse replay s-1a2b3c4d --model openai/gpt-5.2', 'what another model does from the same start'],
    ['synapse replay s-1a2b3c4d --until 4:0 --keep', 'the branch as it was after that call'],
  ],
  showsRecords: true,
  async run(context) {
    const { arguments: words, options, err, signal } = context;
    if (options.model !== undefined || options.baseUrl !== undefined) {
      if (options.until !== undefined)
        throw new SynapseError('invalid_arguments', '--until is for recorded calls, and another model makes its own.', {
          hint: 'Leave --until out.',
        });
      const { replayWithModel } = await import('../replay/other-model.ts');
      return await replayWithModel(words.session, options, context);
    }
    const here = currentBranch();
    if (here !== undefined)
      throw new SynapseError('invalid_arguments', `This process works in the branch ${here}.`, { hint: 'A replay has a branch of its own.' });
    const recording = recordingOf(words.session, options.workspace);
    // Before a branch is made.
    callsUntil(recording, options.until);
    await using hands = await openHands({ folder: recording.session.workspace }, { err });
    const start = await makeStartBranch(recording, hands, signal);
    for (const note of start.notes) err.write(`${note}\n`, 'yellow');
    return await runReplay(recording, start, hands, options, context);
  },
});
