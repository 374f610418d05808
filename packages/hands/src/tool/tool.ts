import type { ContentBlock, Permission, Progress, SandboxTier, Truncation } from '@synapse/protocol';
import * as z from 'zod';
import type { Limits } from '../output/limits.ts';
import type { JsonSchema } from './json-schema.ts';
import type { ToolContext } from './tool-context.ts';

/** The answer of a tool: the value for programs, and the content for the model. */
export interface ToolOutput<Data> {
  data: Data;
  /** The text for the model, or blocks if it is more than one text. */
  content: string | readonly ContentBlock[];
  /** Size of `content` in UTF-8 bytes, if it is one text of known size: counting a megabyte takes 0.3 ms. Default: counted. */
  contentBytes?: number;
  /** A line about the answer, such as the range of lines shown; never part of the text itself. */
  note?: string;
  /** What the tool left out of the answer. */
  truncation?: Truncation;
  sandbox?: SandboxTier;
}

/** Typed as a method, so that a tool with a specific input is assignable to `AnyTool`. */
type DeadlineOf<Input> = { of(input: Input): number }['of'];

/** The call that another call delegates to. */
export interface DelegatedCall {
  readonly tool: string;
  readonly input: unknown;
}

/** What a call was found to do before it was judged. */
export interface Foreseen {
  /** The permissions that it needs beyond those of {@link ToolDefinition.permission}. */
  readonly permissions: readonly Permission[];
  /** What `execute` gets as `ctx.foreseen`. */
  readonly plan: object;
}

/** What needs approval before a tool may run, whatever the rules say. */
export interface HeldTool {
  /** The reason, as a clause after "because". */
  readonly reason: string;
  /** What to show, one line each. */
  readonly details: readonly string[];
  /** How to approve it without a question. */
  readonly hint: string;
  /** Records the approval. */
  accept(): void;
}

/** Aliases of fields that models use from other systems. No schema shows them. */
export interface FieldAliases {
  /** The field for each alias. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Aliases of fields in the objects of a list. A single such object may also be given flat, next to the other fields. */
  readonly items?: { readonly list: string; readonly fields: Readonly<Record<string, string>> };
  /**
   * Fields that change nothing, also in the objects of the list: dropped, and named in a note. With values, only these change
   * nothing, and any other is refused: `['recursive', true]`.
   */
  readonly ignored?: ReadonlyArray<string | readonly [name: string, ...values: unknown[]]>;
  /** For fields with no equivalent: what to do instead, as the text after the field's name. */
  readonly advice?: Readonly<Record<string, string | ((value: unknown) => string)>>;
  /** Converts an input to the fields of the tool, if renaming is not enough. Pure; leaves unknown fields as they are. */
  readonly meant?: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** A capability as data plus one function. See {@link defineTool}. */
export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType, Name extends string = string> {
  /** Lower case with underscores, at most 64 characters; a tool of an MCP server is `mcp:<server>:<tool>`. */
  readonly name: Name;
  /** A short title for people. */
  readonly title: string;
  /** What it does, for the model, in one or two sentences. */
  readonly description: string;
  /** The strongest effect a call can have. */
  readonly effects: 'read' | 'write' | 'exec' | 'net' | 'mcp';
  /** Whether a call can destroy something. Default: true if it does more than read. */
  readonly destructive?: boolean;
  /** Whether repeating a call has no further effect. */
  readonly idempotent?: boolean;
  /**
   * Whether it only restores earlier states of the workspace. Commits and branches then need no more permission than files: the
   * content of a command's commit was judged, and its name protects a place only because its content is not known. Default: false.
   */
  readonly restores?: boolean;
  /**
   * Whether a call acts beyond its context, such as on a server. That cannot be simulated,
   * so the tool has no dry run. Default: whether it needs a permission for a network or a server.
   */
  readonly outside?: boolean;
  /** A `z.strictObject`: unknown fields are errors. Declared as a function, it is made when it is first used. */
  readonly input: Input;
  /** Aliases of its fields, accepted silently before the call is judged. Default: none. */
  readonly aliases?: FieldAliases;
  /** Names of such a tool in other systems: a call with one of them fails and suggests this tool. */
  readonly otherNames?: readonly string[];
  /** The JSON Schema for models, if it does not come from `input`. */
  readonly inputSchema?: JsonSchema & { readonly type: 'object' };
  readonly output: Output;
  /** The schema of the structured content over MCP, if the tool's server declares one. */
  readonly outputSchema?: JsonSchema & { readonly type: 'object' };
  /** Returns the resources that a call needs. Pure: does not ask and does not read the disk. */
  permission(input: z.output<Input>): readonly Permission[];
  /**
   * For a tool whose effect follows from more than its input, such as a rename: finds out what a call would change, so that all of it is judged and
   * asked about at once. Changes nothing, and reads under the same rules. Undefined if a call needs no more permissions.
   */
  foresee?(input: z.output<Input>, ctx: ToolContext): Promise<Foreseen> | undefined;
  /** Milliseconds until a call is aborted. */
  readonly timeoutMs: number | DeadlineOf<z.output<Input>>;
  /** Maximum total in milliseconds, if progress restarts the time-out of a call. Default: it does not. */
  readonly renewableMs?: number;
  /**
   * Whether the text of an answer is exact content, byte for byte, such as that of a file. Then nothing is added to it for
   * programs. Default: the text is lines, and ends with a newline.
   */
  readonly verbatim?: boolean;
  /** Which part of a text over the limit is kept: the `head`, or both `ends` and lines that look like errors. */
  readonly keep: 'head' | 'ends';
  /** Limits of its answers, unless the hands or the call set others. Default: the limits of all tools. */
  readonly limits?: Partial<Limits>;
  /** Returns one line for logs: the request and its outcome. */
  summarize(input: z.output<Input>, data: z.output<Output>): string;
  /** For tools that run another program: returns whether it succeeded. */
  completion?(data: z.output<Output>): 'ok' | 'failed' | 'timeout';
  /**
   * For a tool whose only effects are commands run with `ctx.processes`, each of which is the resource of
   * an `exec` permission. The commands may then run on a copy of the workspace, and their changes are asked about instead.
   * Default: every command is decided before it runs.
   */
  readonly runs?: {
    /** Returns why a call must run on the workspace itself, as a clause after "because"; undefined if it can run on a copy. */
    live(input: z.output<Input>): string | undefined;
    /** Whether a call starts a command that goes on after it. Where no job is possible, nobody is asked about it. Default: none does. */
    outlives?(input: z.output<Input>): boolean;
  };
  /**
   * Begins what takes long and changes nothing, such as the start of a thread, once the input of a call is valid: it goes on while the call is judged.
   * Never throws. The call may be refused then.
   */
  prepare?(): void;
  /** Whether it calls other tools. Such a tool cannot be called by another one. Default: false. */
  readonly nests?: boolean;
  /** For a tool that delegates to others: returns the target call, which is judged, recorded and run instead. */
  delegate?(input: unknown): DelegatedCall | undefined;
  /** The calls that a call makes with `ctx.call`, as far as its input names them. `policy explain` judges them with it. */
  parts?(input: z.output<Input>): readonly DelegatedCall[];
  /**
   * Returns the call to make once a call has succeeded, such as the tests after an edit: one of its own, judged, asked about and
   * recorded. Its failure undoes nothing. The data then has it as `then`. Default: none.
   */
  follow?(input: z.output<Input>): DelegatedCall | undefined;
  /** Returns what needs approval first; undefined if nothing does. Evaluated at each call. */
  held?(): HeldTool | undefined;
  /**
   * Runs an approved call on parsed input, with the capabilities of the context. To report a failure to the model,
   * throw a `SynapseError` (of `@synapse/protocol`). Any other error becomes `internal`, and only the
   * audit log contains its text. Must react to `ctx.signal`: a call that does not settle within 8 seconds of the abort is abandoned.
   */
  execute(input: z.output<Input>, ctx: ToolContext): Promise<ToolOutput<z.input<Output>>>;
}

/** A tool of any type, as in a registry. */
export type AnyTool = ToolDefinition<z.ZodObject, z.ZodType>;

/** Receives the progress of a running call. */
export type ProgressListener = (progress: Progress) => void;

/** The optional fields of {@link defineTool}. */
type Defaulted = 'title' | 'output' | 'permission' | 'timeoutMs' | 'keep' | 'summarize';

/** A schema, or what makes it when it is first used: a process that makes few calls needs few of them. */
type Schema<Type> = Type | (() => Type);

/** A tool declaration: name, description, effects, input and `execute`. The rest has defaults. */
export type ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodType, Name extends string> = Omit<
  ToolDefinition<Input, Output, Name>,
  Defaulted | 'input'
> &
  Partial<Pick<ToolDefinition<Input, Output, Name>, Exclude<Defaulted, 'output'>>> & {
    /** See {@link ToolDefinition.input}. */
    readonly input: Schema<Input>;
    readonly output?: Schema<Output>;
  };

/** A tool without a schema for its data, which may return plain text. */
export type PlainToolDeclaration<Input extends z.ZodObject, Name extends string> = Omit<
  ToolDeclaration<Input, z.ZodUnknown, Name>,
  'execute' | 'output'
> & {
  readonly output?: undefined;
  /** Like {@link ToolDefinition.execute}; a returned text is both the content and the data. */
  execute(input: z.output<Input>, ctx: ToolContext): Promise<ToolOutput<unknown> | string>;
};

const DEFAULT_TIMEOUT_MS = 30_000;

/** Replaces a getter by its value, if the tool is not frozen. */
function fixed<Value>(tool: object, field: 'input' | 'output', value: Value): Value {
  Reflect.defineProperty(tool, field, { value, enumerable: true, configurable: true });
  return value;
}

type AnyPlainDeclaration = PlainToolDeclaration<z.ZodObject, string>;

function isPlain(declared: ToolDeclaration<z.ZodObject, z.ZodType, string> | AnyPlainDeclaration): declared is AnyPlainDeclaration {
  return declared.output === undefined;
}

function withoutSchema(declared: AnyPlainDeclaration): AnyTool['execute'] {
  return async (input, ctx) => {
    const answer = await declared.execute(input, ctx);
    return typeof answer === 'string' ? { data: answer, content: answer } : answer;
  };
}

const words = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

/**
 * Declares a tool. Defaults: `title` from the name, `output` any value, a time-out of 30 seconds, and long answers keep the head. A tool
 * with effects beyond reading asks, unless a rule names it: `policy: { allow: ['send_mail'] }`.
 *
 * @example
 * import { createHands, defineTool, z } from '@synapse/hands';
 *
 * const price = defineTool({
 *   name: 'price',
 *   description: 'Look up what an article costs, in euros.',
 *   effects: 'read',
 *   input: z.strictObject({ article: z.string() }),
 *   execute: async ({ article }) => `${article}: 3 euros`,
 * });
 * await using hands = await createHands({ workspace: '.', tools: [price] });
 * console.log(await hands.call('price', { article: 'tea' }));
 */
export function defineTool<Input extends z.ZodObject, const Name extends string>(
  declared: PlainToolDeclaration<Input, Name>,
): ToolDefinition<Input, z.ZodUnknown, Name>;
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType, const Name extends string>(
  declared: ToolDeclaration<Input, Output, Name>,
): ToolDefinition<Input, Output, Name>;
export function defineTool(declared: ToolDeclaration<z.ZodObject, z.ZodType, string> | PlainToolDeclaration<z.ZodObject, string>): AnyTool {
  const { name, effects } = declared;
  let input: z.ZodObject | undefined;
  let output: z.ZodType | undefined;
  return {
    title: words(name),
    permission: () => (effects === 'read' ? [] : [{ action: 'mcp', resource: name }]),
    timeoutMs: DEFAULT_TIMEOUT_MS,
    keep: 'head',
    summarize: (input) => `${name}(${Object.keys(input).join(', ')})`,
    ...declared,
    get input() {
      input ??= typeof declared.input === 'function' ? declared.input() : declared.input;
      return fixed(this, 'input', input);
    },
    get output() {
      output ??= typeof declared.output === 'function' ? declared.output() : (declared.output ?? z.unknown());
      return fixed(this, 'output', output);
    },
    execute: isPlain(declared) ? withoutSchema(declared) : declared.execute,
  };
}
