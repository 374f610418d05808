import { createInterface, type Interface } from 'node:readline/promises';
import { agentOptions } from '../agent/agent-options.ts';
import { openAgentRun, tellResult, type AgentRun } from '../agent/run-session.ts';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { tellError } from '../report-error.ts';
import { visibleText } from '../visible-text.ts';

const HELP = '/undo takes back the last change, /changes shows what was changed, /help shows this, /quit ends.\n';

type ChatCommand = (agent: AgentRun, io: CommandIo) => Promise<'quit' | undefined>;

/** What a line that begins with a slash does. */
const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  '/quit': async () => 'quit',
  '/exit': async () => 'quit',
  '/help': async (_, { err }) => {
    err.write(HELP, 'dim');
    return undefined;
  },
  '/undo': async ({ hands }, { err }) => {
    const undone = await hands.undo();
    err.write(undone.ok ? `${undone.output}\n` : `${undone.error.message}\n`, undone.ok ? 'dim' : 'yellow');
  },
  '/changes': async ({ hands, session }, { out, err }) => {
    const changes = await hands.changes({ session: session.id });
    if (changes.length === 0) err.write('Nothing was changed.\n', 'dim');
    for (const { diff, path, kind } of changes) out.write(diff === undefined ? `${kind} ${path}\n` : visibleText(diff));
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
    await using agent = await openAgentRun(options, context);
    err.write(HELP, 'dim');
    const lines = createInterface({ input: stdin, ...(stdin.isTTY ? { output: process.stderr } : {}), terminal: stdin.isTTY, prompt: '> ' });
    using _lines = { [Symbol.dispose]: () => lines.close() };
    // Input that is no terminal may have ended while a turn was running.
    const prompt = (): void => (stdin.isTTY ? lines.prompt() : undefined);
    prompt();
    for await (const line of lines) {
      if (signal.aborted) break;
      const words = line.trim();
      const special = COMMANDS[words.split(' ')[0] ?? ''];
      if (special !== undefined) {
        if ((await special(agent, context)) === 'quit') break;
      } else if (words.startsWith('/'))
        tellError(err, { code: 'invalid_arguments', message: `Unknown command: ${words}`, hint: HELP.trim(), retryable: false });
      else if (words !== '') await turn(agent, words, context, lines);
      prompt();
    }
    return 0;
  },
});

/** One turn, which Ctrl-C stops without ending the conversation. */
async function turn(agent: AgentRun, task: string, io: CommandIo, lines: Interface): Promise<void> {
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  lines.once('SIGINT', onInterrupt);
  try {
    const result = await agent.work(task, AbortSignal.any([io.signal, stop.signal]));
    tellResult(result, { json: false, jsonl: false }, io);
  } finally {
    lines.off('SIGINT', onInterrupt);
  }
}
