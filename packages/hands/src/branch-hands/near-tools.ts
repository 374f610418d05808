import { SynapseError, toSynapseError } from '@synapse/protocol';
import { copyInput } from '../call/copy-input.ts';
import { parseInput } from '../pipeline/validate.ts';
import type { AnyTool, HeldTool, ToolOutput } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolAnswer, ToolCall, ToolFacts } from './methods.ts';

/** What the process of a branch learns about a tool. */
export function factsOf({
  name,
  title,
  description,
  effects,
  keep,
  destructive,
  idempotent,
  outside,
  verbatim,
  renewableMs,
  limits,
}: AnyTool): ToolFacts {
  return {
    name,
    title,
    description,
    effects,
    keep,
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(outside === undefined ? {} : { outside }),
    ...(verbatim === undefined ? {} : { verbatim }),
    ...(renewableMs === undefined ? {} : { renewableMs }),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** A call of a tool of this program, parsed here. */
export interface NearToolCall {
  readonly tool: AnyTool;
  readonly parsed: Record<string, unknown>;
  /** The arguments for records and questions. */
  readonly input: unknown;
  readonly facts: ToolCall;
  readonly held: HeldTool | undefined;
  /** What was understood in another way than it was written. */
  readonly notes: readonly string[];
}

/** @throws SynapseError `invalid_arguments` naming the fields */
export function parseToolCall(tool: AnyTool, given: unknown): NearToolCall {
  const notes: string[] = [];
  const parsed = parseInput(tool, given, notes);
  const held = tool.held?.();
  return {
    tool,
    parsed,
    input: asData(parsed, given),
    held,
    notes,
    facts: {
      permissions: [...tool.permission(parsed)],
      timeoutMs: typeof tool.timeoutMs === 'number' ? tool.timeoutMs : tool.timeoutMs(parsed),
      ...(held === undefined ? {} : { held: { reason: held.reason, details: [...held.details], hint: held.hint } }),
    },
  };
}

/** Parsed arguments, unless a schema made something else than data of them. */
function asData(parsed: unknown, given: unknown): unknown {
  try {
    return copyInput(parsed);
  } catch {
    return copyInput(given);
  }
}

/** The parts of a context that reach the machine. Here, they would reach the workspace instead of the branch. */
type Power = 'workspace' | 'processes' | 'jobs' | 'search' | 'git' | 'web' | 'diagnostics' | 'code' | 'call' | 'program' | 'keep' | 'collectOutput';

function refused(tool: string, power: Power): SynapseError {
  return new SynapseError('unavailable', `${tool} uses ctx.${power}, which is not available to tools of the program that opened a branch.`, {
    hint: "Let the tool call the branch instead: open it with hands.branch(ctx.origin.branch), and use branch.call('read_file', { path }).",
  });
}

/** A context without powers. A class, because V8 keeps objects with getters of their own until the next full collection. */
export class PowerlessContext implements ToolContext {
  readonly #tool: string;
  readonly origin: ToolContext['origin'];
  readonly signal: AbortSignal;
  readonly limits: ToolContext['limits'];
  readonly shell: ToolContext['shell'];
  readonly progress: ToolContext['progress'];
  readonly fillForm: ToolContext['fillForm'];

  constructor(tool: string, { origin, signal, limits, shell, progress, fillForm }: Omit<ToolContext, Power | 'liveOutput'>) {
    this.#tool = tool;
    this.origin = origin;
    this.signal = signal;
    this.limits = limits;
    this.shell = shell;
    this.progress = progress;
    this.fillForm = fillForm;
  }

  get workspace(): never {
    throw refused(this.#tool, 'workspace');
  }

  get processes(): never {
    throw refused(this.#tool, 'processes');
  }

  get jobs(): never {
    throw refused(this.#tool, 'jobs');
  }

  get search(): never {
    throw refused(this.#tool, 'search');
  }

  get git(): never {
    throw refused(this.#tool, 'git');
  }

  get web(): never {
    throw refused(this.#tool, 'web');
  }

  get diagnostics(): never {
    throw refused(this.#tool, 'diagnostics');
  }

  get code(): never {
    throw refused(this.#tool, 'code');
  }

  get program(): never {
    throw refused(this.#tool, 'program');
  }

  readonly call = (): never => {
    throw refused(this.#tool, 'call');
  };

  readonly keep = (): never => {
    throw refused(this.#tool, 'keep');
  };

  readonly collectOutput = (): never => {
    throw refused(this.#tool, 'collectOutput');
  };

  readonly liveOutput: ToolContext['liveOutput'] = () => ({
    add: (stream, output) => this.progress({ output, stream }),
    [Symbol.dispose]() {},
  });
}

/** Runs such a call once it is permitted. */
export async function runToolCall({ tool, parsed, held, notes }: NearToolCall, accepted: boolean, ctx: ToolContext): Promise<ToolAnswer> {
  if (accepted) held?.accept();
  const { data, content, contentBytes, note, truncation, sandbox }: ToolOutput<unknown> = await tool.execute(parsed, ctx);
  const read = tool.output.safeParse(data);
  if (!read.success) throw new SynapseError('internal', `${tool.name} gave an answer of the wrong form.`, { cause: read.error });
  return {
    data: read.data,
    content: typeof content === 'string' ? content : [...content],
    ...(contentBytes === undefined ? {} : { contentBytes }),
    ...(note === undefined && notes.length === 0 ? {} : { note: [...notes, ...(note === undefined ? [] : [note])].join(' ') }),
    ...(truncation === undefined ? {} : { truncation }),
    ...(sandbox === undefined ? {} : { sandbox }),
    summary: tool.summarize(parsed, read.data),
    completion: tool.completion?.(read.data) ?? 'ok',
  };
}

/** What the process of a branch records of a call whose arguments are invalid. */
export function refusedToolCall(thrown: unknown): ToolCall {
  const { code, message, hint } = toSynapseError(thrown);
  return { permissions: [], timeoutMs: 1_000, refusal: { code, message, ...(hint === undefined ? {} : { hint }) } };
}
