import { openModel, SessionStore, TodoList } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { TypedLines } from '../approval/line-reader.ts';
import type { CommandIo } from '../command/command.ts';
import { currentBranch } from '../branch/branch-variable.ts';
import { openAgentPlace, type RunOptions } from './agent-place.ts';
import type { AgentRun } from './agent-run.ts';
import { openPrompt } from './open-prompt.ts';
import { OpenedRun } from './opened-run.ts';
import { openScreen, type LiveInput } from './open-screen.ts';
import { personOf } from './person.ts';
import { openReport } from './run-report.ts';

/** The terminal that shows a run and asks its user. */
interface AgentIo extends CommandIo {
  /** The reader of stdin, if it is already being read. */
  readonly lines?: TypedLines;
  readonly input?: LiveInput;
}

/** Opens everything an agent needs. */
export async function openAgentRun(options: RunOptions, io: AgentIo, resume?: string): Promise<AgentRun> {
  if (options.maxCost !== undefined && options.price === undefined)
    throw new SynapseError('invalid_arguments', 'No price for --max-cost.', {
      hint: 'Pass --price with US dollars per million tokens of input and output, such as --price 1.25,10.',
    });
  await using stack = new AsyncDisposableStack();
  const named = { model: options.model ?? '', baseUrl: options.baseUrl };
  // First: nothing else is opened where no model can be.
  const model = await openModel(options.model, { baseUrl: options.baseUrl });
  const store = stack.use(SessionStore.open(defaultStateFolder()));
  const screen = options.json || options.jsonl ? undefined : await openScreen(io, io.input);
  const shown = screen === undefined ? { out: io.out, err: io.err } : { out: screen.output(io.out), err: screen.output(io.err) };
  let root = options.remote ?? '';
  const { lines } = io;
  const nextLine = lines === undefined ? undefined : () => lines.next(io.signal);
  const approver = options.yes === true ? undefined : personOf(options, { ...io, ...shown, screen }, () => root);
  const place = stack.use(await openAgentPlace(options, { ...io, ...shown, nextLine }, approver));
  root = place.workspace;
  const report = openReport(options, { ...shown, screen }, place);
  const todos = new TodoList((items) => report.showTodos(items));
  const prompt = await openPrompt(options, place, report.tools, todos);
  const chosen = { named, model, prompt: await prompt.system(named.model) };
  const { protocol, dialect, remote } = options;
  // The files of another machine are in no branch of this one.
  const branch = remote === undefined ? currentBranch() : undefined;
  const setup = { workspace: place.workspace, protocol, dialect, remote, branch };
  const session = resume === undefined ? undefined : store.resume(resume);
  const opened = stack.move();
  const close = async (): Promise<void> => await opened.disposeAsync();
  return new OpenedRun({ options, place, store, io: shown, screen, report, todos, prompt, approver, setup, close }, chosen, session);
}
