import { isSynapseError } from '@synapse/protocol';
import { createInterface } from 'node:readline/promises';
import { TypedLines } from '../approval/line-reader.ts';
import { agentOptions } from '../agent/agent-options.ts';
import { CONFIRMED } from '../input/confirm-or-fail.ts';
import { openAgentRun, tellResult, type AgentRun } from '../agent/run-session.ts';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { columns } from '../output/columns.ts';
import { tellError } from '../output/report-error.ts';
import { showChange } from '../output/show-change.ts';
import { pendingOf, pendingRow, tellEffect } from './on-pending.ts';

const HELP =
  '/undo takes back the last change of this session, /changes shows what was changed, /approve shows and applies what waits for a yes, /help shows this, /quit ends.\n';

/** The signal of its terminal is also aborted by Ctrl-C. */
type ChatCommand = (agent: AgentRun, io: CommandIo, words: readonly string[]) => Promise<'quit' | void>;

/** Slash commands. */
const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  '/quit': async () => 'quit',
  '/exit': async () => 'quit',
  '/help': async (_, { err }) => {
    err.write(HELP, 'dim');
  },
  '/undo': async ({ hands, session }, { err, signal }) => {
    const undone = await hands.undo({ session: session.id, last: 1 }, { approver: CONFIRMED, signal });
    err.write(undone.ok ? `${undone.output}\n` : `${undone.error.message}\n`, undone.ok ? 'dim' : 'yellow');
  },
  '/changes': async ({ hands, session }, { out, err }) => {
    const changes = await hands.changes({ session: session.id });
    if (changes.length === 0) err.write('Nothing was changed.\n', 'dim');
    for (const change of changes) showChange(out, change);
  },
  '/approve': async ({ hands, session }, { err, signal }, [handle]) => {
    const waiting = hands.pendingChanges();
    if (waiting.length === 0) err.write('Nothing waits for a yes.\n', 'dim');
    else if (handle === undefined) {
      for (const pending of waiting) {
        err.write(columns([pendingRow(pending)]));
        tellEffect(err, await hands.showPending(pending.handle));
      }
      err.write(`Apply with: /approve ${waiting[0]?.handle ?? ''}\n`, 'dim');
    } else {
      const applied = await hands.applyPending(pendingOf(waiting, handle).handle, { sessionId: session.id, signal });
      err.write(applied.ok ? `${applied.output}\n` : `${applied.error.message}\n`, applied.ok ? 'dim' : 'yellow');
    }
  },
};

export const command = defineCommand({
  details: 'Ctrl-C stops a turn; Ctrl-D ends.',
  options: agentOptions,
  examples: [
    ['synapse chat -m openai/gpt-5.2', 'with a model of a provider'],
    ['synapse chat --base-url http://127.0.0.1:11434/v1 -m qwen3 --allow write', 'with a local one that may edit'],
  ],
  async run(context) {
    const { options, err, stdin, signal } = context;
    const readline = createInterface({ input: stdin, ...(stdin.isTTY ? { output: process.stderr } : {}), terminal: stdin.isTTY, prompt: '> ' });
    using _readline = { [Symbol.dispose]: () => readline.close() };
    const lines = new TypedLines(readline);
    await using agent = await openAgentRun(options, { ...context, lines });
    err.write(HELP, 'dim');
    let busy: AbortController | undefined;
    readline.on('SIGINT', () => {
      if (busy !== undefined) {
        busy.abort();
        lines.withdraw();
        return;
      }
      readline.write(null, { ctrl: true, name: 'u' });
      err.write('\nCtrl-D ends the chat.\n', 'dim');
      readline.prompt();
    });
    for (;;) {
      // Input that is not a terminal may end during a turn.
      if (stdin.isTTY && !lines.closed) readline.prompt();
      const line = await lines.next(signal);
      if (line === undefined) break;
      busy = new AbortController();
      if ((await answer(agent, line.trim(), { ...context, signal: AbortSignal.any([signal, busy.signal]) })) === 'quit') break;
      busy = undefined;
    }
    return 0;
  },
});

/** Runs a command of the chat, or a turn. Ctrl-C stops it, not the conversation. */
async function answer(agent: AgentRun, line: string, io: CommandIo): Promise<'quit' | void> {
  const { err, signal } = io;
  if (!line.startsWith('/')) {
    if (line !== '') tellResult(await agent.work(line, signal), { json: false, jsonl: false }, io);
    return;
  }
  const [name = '', ...words] = line.split(/\s+/u);
  const special = COMMANDS[name];
  if (special === undefined) {
    tellError(err, { code: 'invalid_arguments', message: `Unknown command: ${line}`, hint: HELP.trim(), retryable: false });
    return;
  }
  try {
    return await special(agent, io, words);
  } catch (error) {
    // An error such as an unknown handle does not end the conversation.
    if (!isSynapseError(error)) throw error;
    tellError(err, error);
  }
}
