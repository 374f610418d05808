import { nearest } from '@synapse/hands/internal';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { todoLines } from '../agent/live-events.ts';
import type { AgentRun } from '../agent/agent-run.ts';
import { columns } from '../output/columns.ts';
import { plainLine } from '../output/styled-line.ts';
import { tellError } from '../output/report-error.ts';
import { CHANGE_COMMANDS } from './change-commands.ts';
import type { ChatCommand, ChatIo } from './chat-command.ts';

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  '/help': {
    summary: 'show this',
    run: async (_, { err }) => err.write(chatHelp()),
  },
  '/model': {
    form: '[name]',
    summary: 'show the model, or go on with another one',
    async run(agent, { err }, name) {
      const kept = name === '' ? [] : await agent.changeModel(name);
      err.write(`${name === '' ? 'The model is' : 'The model is now'} ${agent.model}.\n`, 'dim');
      if (kept.length > 0) err.write(`Still as given for the model before: ${kept.join(', ')}.\n`, 'yellow');
    },
  },
  '/compact': {
    form: '[what to keep]',
    summary: 'replace the conversation by a summary, to save context',
    async run(agent, { err, signal }, focus) {
      const { before, after } = await agent.compact(focus === '' ? undefined : focus, signal);
      err.write(`Summarized: about ${before} tokens are now ${after}.\n`, 'dim');
    },
  },
  '/clear': {
    summary: 'begin a new conversation',
    async run(agent, { err }) {
      const before = agent.clear();
      err.write(`A new conversation.${before === undefined ? '' : ` The one before: synapse resume ${before}`}\n`, 'dim');
    },
  },
  '/todo': {
    summary: 'show the todo list of the model',
    async run({ todos }, { out, err }) {
      if (todos.items.length === 0) err.write('The model keeps no list.\n', 'dim');
      for (const line of todoLines(todos.items)) out.write(`${plainLine(line)}\n`);
    },
  },
  ...CHANGE_COMMANDS,
  '/quit': { summary: 'end', run: async () => 'quit' },
};

/** Other names, which people know from elsewhere. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '/exit': '/quit',
  '/?': '/help',
  '/new': '/clear',
  '/todos': '/todo',
  '/approvals': '/approve',
};

/** The names of the commands. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

const CALLED = /^(?<name>\/[\w?-]+)(?:\s+(?<rest>[\s\S]*))?$/u;

/** Whether a line is a command. A path may begin with `/`, too. */
export function isCommand(line: string): boolean {
  return CALLED.test(line);
}

/** What can be typed in a chat. */
export function chatHelp(): string {
  const rows = Object.entries(COMMANDS).map(([name, { form = '', summary }]) => [`  ${name} ${form}`.trimEnd(), summary]);
  rows.push(['  @path', 'attach a file of the workspace, or an image; Tab completes'], ['  Ctrl-C', 'stop the step; twice: end']);
  return columns(rows);
}

/** Runs a command of the chat. An error such as an unknown handle does not end the conversation. */
export async function runCommand(agent: AgentRun, io: ChatIo, line: string): Promise<'quit' | void> {
  const { name = '', rest = '' } = CALLED.exec(line)?.groups ?? {};
  const known = Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
  try {
    const command = Object.hasOwn(COMMANDS, known) ? COMMANDS[known] : undefined;
    if (command === undefined) throw unknown(name);
    return await command.run(agent, io, rest.trim());
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    tellError(io.err, error);
  }
}

function unknown(name: string): SynapseError {
  const near = nearest(name, COMMAND_NAMES);
  return new SynapseError('invalid_arguments', `Unknown command: ${name.slice(0, 100)}`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '/help lists the commands.',
  });
}
