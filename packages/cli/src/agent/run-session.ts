import {
  buildSystemPrompt,
  findProtocol,
  openModel,
  runAgent,
  runProtocol,
  SessionStore,
  toolDescriptions,
  type AgentEvent,
  type AgentResult,
  type AgentSession,
  type AgentStatus,
  type ReasoningProtocol,
} from '@synapse/brain';
import { once } from 'node:events';
import type { Approver, Hands } from '@synapse/hands';
import { defaultStateFolder, firstApprover } from '@synapse/hands/internal';
import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import type { ScreenSize } from '../approval/question-screen.ts';
import type { TypedLines } from '../approval/line-reader.ts';
import { terminalApprover } from '../approval/terminal-approver.ts';
import type { CommandIo } from '../command/command.ts';
import { consoleApprover } from '../hands/open-hands.ts';
import { sizeOf } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { openAgentPlace, type RunOptions } from './agent-place.ts';
import { EventScreen } from './show-events.ts';

/** Hands, a model and a session, ready for tasks. */
export interface AgentRun extends AsyncDisposable {
  /** @throws SynapseError `unavailable` if the calls run on another machine */
  readonly hands: Hands;
  readonly session: AgentSession;
  /** Works on a task. Without a task, continues the session. */
  work(task: string | undefined, signal: AbortSignal): Promise<AgentResult>;
}

/** The terminal that shows a run and asks its user. */
interface AgentIo extends CommandIo {
  /** The reader of stdin, if it is already being read. */
  readonly lines?: TypedLines;
}

const EXIT_CODES: Record<AgentStatus, number> = {
  done: 0,
  limit: ERROR_CODES.tool_failed.exitCode,
  loop: ERROR_CODES.tool_failed.exitCode,
  paused: ERROR_CODES.tool_failed.exitCode,
  refused: ERROR_CODES.tool_failed.exitCode,
  failed: ERROR_CODES.tool_failed.exitCode,
  cancelled: 130,
};

/** Leaves the answer to the other machine or another device if no console is open here. */
function orElsewhere(approver: Approver): Approver {
  return {
    ...approver,
    async ask(request, signal) {
      const answer = await approver.ask(request, signal);
      if (answer.verdict === 'later' && !signal.aborted) await once(signal, 'abort');
      return answer;
    },
  };
}

/** The person who started a run, at the terminal and in an open console. */
function personOf({ json, jsonl, remote }: RunOptions, { stdin, err, lines }: AgentIo, root: () => string): Approver {
  const atConsole = consoleApprover('synapse run', root);
  const size = (): ScreenSize => sizeOf(process.stderr);
  if (stdin.isTTY && err.isTerminal && !json && !jsonl) return firstApprover([terminalApprover({ stdin, err, size, lines }), atConsole]);
  return remote === undefined ? atConsole : orElsewhere(atConsole);
}

/** Opens everything an agent needs. */
export async function openAgentRun(options: RunOptions, io: AgentIo, resume?: string): Promise<AgentRun> {
  const { out, err } = io;
  if (options.maxCost !== undefined && options.price === undefined)
    throw new SynapseError('invalid_arguments', 'No price for --max-cost.', {
      hint: 'Pass --price with US dollars per million tokens of input and output, such as --price 1.25,10.',
    });
  await using stack = new AsyncDisposableStack();
  const model = await openModel(options.model, { baseUrl: options.baseUrl });
  const store = stack.use(SessionStore.open(defaultStateFolder()));
  let root = options.remote ?? '';
  const approver = options.yes === true ? undefined : personOf(options, io, () => root);
  const place = stack.use(await openAgentPlace(options, io, approver));
  const { workspace, tools } = place;
  root = workspace;
  const protocol: ReasoningProtocol | undefined = options.protocol === undefined ? undefined : await findProtocol(place.protocols, options.protocol);
  const system = await buildSystemPrompt({
    ...place.prompt,
    model: options.model ?? '',
    toolDescriptions: toolDescriptions(tools),
    operatorPrompt: 'optional',
    ...(protocol === undefined ? {} : { protocol }),
  });
  const { baseUrl, protocol: followed, dialect, remote } = options;
  const setup = { workspace, model: options.model ?? '', baseUrl, protocol: followed, dialect, remote };
  let session: AgentSession | undefined = resume === undefined ? undefined : store.resume(resume);
  const screen = new EventScreen(out, err);
  const onEvent = (event: AgentEvent): void => {
    if (options.jsonl) out.write(`${JSON.stringify(event)}\n`);
    else if (!options.json) screen.show(event);
  };
  const opened = stack.move();
  const open = (task: string): AgentSession => (session ??= store.create({ ...setup, task }));
  return {
    get hands() {
      return place.hands;
    },
    get session() {
      return open('');
    },
    async work(task, signal) {
      const current = open(task ?? protocol?.title ?? '');
      const shared = {
        hands: tools,
        model,
        // For the events. On another machine, the person here is asked if it lets this device approve.
        ...(approver === undefined ? {} : { approver }),
        system,
        session: current,
        signal,
        onEvent,
        price: options.price,
        limits: limitsOf(options),
        ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
        ...(options.noImages === true ? { images: false } : {}),
      };
      const result =
        protocol !== undefined && task === undefined
          ? await runProtocol({ ...shared, protocol, ...place.records })
          : await runAgent({ ...shared, ...(task === undefined ? {} : { task }), ...(protocol === undefined ? {} : { protocol }) });
      store.finish(current.id, result.status);
      return result;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function limitsOf({ maxCalls, maxTokens, maxCost }: RunOptions): { calls?: number; tokens?: number; costUsd?: number } {
  return {
    ...(maxCalls === undefined ? {} : { calls: maxCalls }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    ...(maxCost === undefined ? {} : { costUsd: maxCost }),
  };
}

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Prints how a run ended and returns the exit code. */
export function tellResult(result: AgentResult, { json, jsonl }: Pick<RunOptions, 'json' | 'jsonl'>, { out, err }: CommandIo): number {
  if (json) printJson(out, result);
  else if (!jsonl) {
    const { status, reason, spending, sessionId } = result;
    // The model's text was streamed already; a partial result ends with text from the loop.
    const last = result.text.split('\n').at(-1) ?? '';
    if ((status === 'limit' || status === 'loop') && last !== '') out.write(`\n${last}\n`);
    // The last line of a stopped run names the reason.
    if (reason !== undefined && !last.endsWith(reason)) err.write(`${inLine(reason)}\n`, 'yellow');
    if ('check' in result) tellCheck(result, err);
    const cost = spending.costUsd === undefined || spending.costUsd === 0 ? '' : ` · $${spending.costUsd.toFixed(4)}`;
    err.write(
      `${plural(spending.calls, 'call')} · ${plural(spending.turns, 'turn')} · ${spending.inputTokens + spending.outputTokens} tokens${cost}\n`,
      'dim',
    );
    if (status === 'paused' || status === 'cancelled') err.write(`Continue with: synapse resume ${sessionId}\n`);
  }
  return EXIT_CODES[result.status];
}

function tellCheck(result: AgentResult & { readonly check?: unknown }, err: CommandIo['err']): void {
  const { check } = result;
  if (typeof check !== 'object' || check === null || !('unreadFiles' in check) || !Array.isArray(check.unreadFiles)) return;
  for (const path of check.unreadFiles) err.write(`Claimed but not read by any call: ${inLine(String(path))}\n`, 'yellow');
}
