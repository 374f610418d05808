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
import { defaultStateFolder, type DialectHands, type Hands } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import type { ScreenSize } from '../approval/question-screen.ts';
import { terminalApprover } from '../approval/terminal-approver.ts';
import type { CommandIo } from '../command/command.ts';
import { openHands } from '../open-hands.ts';
import { sizeOf } from '../output.ts';
import { printJson } from '../print-json.ts';
import { inLine } from '../visible-text.ts';
import type { AgentOptionValues } from './agent-options.ts';
import { EventScreen } from './show-events.ts';

/** What a run is started with: options of the command line, or those that a session was started with. */
export type RunOptions = Partial<AgentOptionValues> & Pick<AgentOptionValues, 'json' | 'jsonl'>;

/** Hands, a model and a session that wait for tasks. */
export interface AgentRun extends AsyncDisposable {
  readonly hands: Hands;
  readonly session: AgentSession;
  /** Works on a task; without one it goes on where the session stands. */
  work(task: string | undefined, signal: AbortSignal): Promise<AgentResult>;
}

/** The names of tools that the models of a provider were trained on. */
const TRAINED: Readonly<Record<string, string>> = { anthropic: 'claude-code', openai: 'codex', google: 'gemini-cli' };

const EXIT_CODES: Record<AgentStatus, number> = {
  done: 0,
  limit: ERROR_CODES.tool_failed.exitCode,
  loop: ERROR_CODES.tool_failed.exitCode,
  paused: ERROR_CODES.tool_failed.exitCode,
  refused: ERROR_CODES.tool_failed.exitCode,
  failed: ERROR_CODES.tool_failed.exitCode,
  cancelled: 130,
};

function speaking(hands: Hands, { dialect, model }: RunOptions): Hands | DialectHands {
  const name = dialect === 'auto' ? TRAINED[model?.split('/')[0] ?? ''] : dialect;
  return name === undefined ? hands : hands.dialect(name);
}

/** Opens all that an agent works with. */
export async function openAgentRun(options: RunOptions, io: CommandIo, resume?: string): Promise<AgentRun> {
  const { out, err, stdin } = io;
  await using stack = new AsyncDisposableStack();
  const model = await openModel(options.model, { baseUrl: options.baseUrl });
  const store = stack.use(SessionStore.open(defaultStateFolder()));
  const size = (): ScreenSize => sizeOf(process.stderr);
  const asks = stdin.isTTY && err.isTerminal && options.yes !== true && !options.json && !options.jsonl;
  const approver = asks ? terminalApprover({ stdin, err, size }) : undefined;
  // `auto` is a choice among dialects, which hands do not know.
  const { dialect: _, ...rest } = options;
  const hands = stack.use(await openHands(rest, err, approver, { connect: 'demand' }));
  const { workspace } = hands;
  const spoken = speaking(hands, options);
  const protocol: ReasoningProtocol | undefined = options.protocol === undefined ? undefined : await findProtocol(workspace, options.protocol);
  const system = await buildSystemPrompt({
    workspace,
    model: options.model ?? '',
    toolDescriptions: toolDescriptions(spoken),
    operatorPrompt: 'optional',
    constraints: hands.constraints(),
    ...(protocol === undefined ? {} : { protocol }),
  });
  const setup = { workspace, model: options.model ?? '', baseUrl: options.baseUrl, protocol: options.protocol, dialect: options.dialect };
  let session: AgentSession | undefined = resume === undefined ? undefined : store.resume(resume);
  const screen = new EventScreen(out, err);
  const onEvent = (event: AgentEvent): void => {
    if (options.jsonl) out.write(`${JSON.stringify(event)}\n`);
    else if (!options.json) screen.show(event);
  };
  const opened = stack.move();
  const open = (task: string): AgentSession => (session ??= store.create({ ...setup, task }));
  return {
    hands,
    get session() {
      return open('');
    },
    async work(task, signal) {
      const current = open(task ?? protocol?.title ?? '');
      const shared = {
        hands: spoken,
        model,
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
          ? await runProtocol({ ...shared, protocol })
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

/** Says how a run ended, and gives the exit code. */
export function tellResult(result: AgentResult, { json, jsonl }: Pick<RunOptions, 'json' | 'jsonl'>, { out, err }: CommandIo): number {
  if (json) printJson(out, result);
  else if (!jsonl) {
    const { status, reason, spending, sessionId } = result;
    // The model's own words were streamed; a partial result ends with words of the loop.
    if (status === 'limit' || status === 'loop') out.write(`\n${result.text.split('\n').at(-1) ?? ''}\n`);
    if (reason !== undefined) err.write(`${inLine(reason)}\n`, 'yellow');
    if ('check' in result) tellCheck(result, err);
    const cost = spending.costUsd === undefined || spending.costUsd === 0 ? '' : ` · $${spending.costUsd.toFixed(4)}`;
    err.write(`${spending.calls} calls · ${spending.turns} turns · ${spending.inputTokens + spending.outputTokens} tokens${cost}\n`, 'dim');
    if (status === 'paused' || status === 'cancelled') err.write(`Go on with: synapse resume ${sessionId}\n`);
  }
  return EXIT_CODES[result.status];
}

function tellCheck(result: AgentResult & { readonly check?: unknown }, err: CommandIo['err']): void {
  const { check } = result;
  if (typeof check !== 'object' || check === null || !('unreadFiles' in check) || !Array.isArray(check.unreadFiles)) return;
  for (const path of check.unreadFiles) err.write(`Claimed but not read by any call: ${inLine(String(path))}\n`, 'yellow');
}
