import { callbackify } from 'node:util';
import { isSynapseError } from '@synapse/protocol';
import type { RunOptions } from '../agent/agent-place.ts';
import type { AgentRun } from '../agent/agent-run.ts';
import { openAgentRun } from '../agent/open-agent-run.ts';
import { tellResult } from '../agent/tell-result.ts';
import type { CommandIo } from '../command/command.ts';
import { tellError } from '../output/report-error.ts';
import { inLine } from '../output/visible-text.ts';
import { ChatInput } from './chat-input.ts';
import { isCommand, runCommand } from './chat-commands.ts';
import { completeLine, listingOf } from './complete-line.ts';
import { Interrupts } from './interrupts.ts';
import { TypedAhead, type Prepare, type WaitingLine } from './typed-ahead.ts';

const WELCOME = 'Type what to do. /help shows the commands, @path attaches a file, Ctrl-D ends.\n';
const AGAIN = 'Ctrl-C again or Ctrl-D ends the chat.\n';

/** A conversation at a terminal, or of lines from a pipe. */
export async function chat(options: RunOptions, io: CommandIo): Promise<number> {
  const { err, stdin } = io;
  const ahead = new TypedAhead();
  const interrupts = new Interrupts(io.signal);
  let opened: AgentRun | undefined;
  const complete = async (line: string): Promise<[string[], string]> => {
    try {
      return opened === undefined ? [[], line] : await completeLine(line, listingOf(opened, interrupts.ending));
    } catch (error) {
      // Such as a machine that went away: nothing is offered.
      if (isSynapseError(error)) return [[], line];
      throw error;
    }
  };
  const onInterrupt = (): void => {
    const did = interrupts.next();
    // A question of the opening, or of the step, gets no answer.
    if (did === 'stopped' || opened === undefined) input.lines.withdraw();
    // They were meant for what was stopped.
    if (did === 'stopped') for (const text of ahead.clear()) (opened?.io ?? io).err.write(`Not sent: ${inLine(text)}\n`, 'yellow');
    if (did !== 'told' || opened === undefined) return;
    input.discard();
    err.write(`\n${AGAIN}`, 'dim');
    input.prompt();
  };
  const input = new ChatInput(stdin, ahead, callbackify(complete), onInterrupt);
  using _input = input;
  await using agent = await openAgentRun(options, { ...io, lines: input.lines, input: input.live });
  opened = agent;
  // Closed first: while the rest ends, Ctrl-C is a signal to the process again.
  using _closed = input;
  const prepare: Prepare = (text, dropped) => prepared(agent, text, AbortSignal.any([dropped, interrupts.ending]));
  err.write(WELCOME, 'dim');
  for (;;) {
    const waited = ahead.next();
    if (waited !== undefined) tellTaken(agent, waited.text);
    const typed = waited === undefined ? await input.next(interrupts.ending) : waited.text;
    if (typed === undefined) break;
    const line = typed.trim();
    interrupts.reset();
    const signal = interrupts.begin();
    const diverts = stdin.isTTY;
    if (diverts) input.lines.divert((more) => void ahead.add(more, prepare));
    const message = { text: line, ...(isCommand(line) || line === '' ? {} : { content: waited?.content ?? prepare(line, signal) }) };
    const did = await answer(agent, message, { ...io, ...agent.io, signal }, ahead);
    input.lines.divert(undefined);
    interrupts.end();
    if (did === 'quit') break;
  }
  return io.signal.aborted || interrupts.ending.aborted ? 130 : 0;
}

/** Shows a line that was typed while the model worked, where it takes effect. */
function tellTaken(agent: AgentRun, text: string): void {
  agent.io.err.write(`> ${inLine(text)}\n`, 'bold');
}

/** A message with its files; undefined, after the reason was shown, if it cannot be sent. */
async function prepared(agent: AgentRun, text: string, signal: AbortSignal) {
  try {
    const { content, notes } = await agent.attach(text, signal);
    for (const note of notes) agent.io.err.write(`${note}\n`, 'dim');
    return content;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    tellError(agent.io.err, error);
    return undefined;
  }
}

/** Runs a command of the chat, or a turn. Ctrl-C stops it, not the conversation. */
async function answer(agent: AgentRun, { text: line, content: ready }: WaitingLine, io: CommandIo, ahead: TypedAhead): Promise<'quit' | void> {
  if (line === '') return;
  if (ready === undefined) return await runCommand(agent, io, line);
  const content = await ready;
  if (content === undefined) return;
  const result = await agent.work(content, io.signal, () => {
    const taken = ahead.takeMessages();
    for (const { text } of taken) tellTaken(agent, text);
    return taken.map((message) => message.content);
  });
  if (result.status === 'cancelled') io.err.write('Stopped. The conversation goes on.\n', 'yellow');
  else tellResult(result, { json: false, jsonl: false }, io);
}
