import type { ContentBlock, Permission, Progress, SandboxTier, Truncation } from '@synapse/protocol';
import type * as z from 'zod';
import type { JsonSchema } from './providers/json-schema.ts';
import type { ToolContext } from './tool-context.ts';

/** What a tool answers: the value for programs, and what the model reads. */
export interface ToolOutput<Data> {
  data: Data;
  /** The text for the model, or blocks where it is more than one text. */
  content: string | readonly ContentBlock[];
  /** Bytes of `content` in UTF-8, where it is one text and they are known: to count those of a megabyte takes 0.3 ms. Default: counted. */
  contentBytes?: number;
  /** A line about the answer, such as which lines of how many; never part of the text itself. */
  note?: string;
  /** Where the tool itself stopped early, what it left out. */
  truncation?: Truncation;
  sandbox?: SandboxTier;
}

/** Typed as a method, so that a tool of known input fits where the input is not known. */
type DeadlineOf<Input> = { of(input: Input): number }['of'];

/** A call that another one stands for. */
export interface DelegatedCall {
  readonly tool: string;
  readonly input: unknown;
}

/** What a person has to say yes to before a tool may run, whatever the rules say. */
export interface HeldTool {
  /** Why it is asked, as it goes on after "because". */
  readonly reason: string;
  /** What they have to see, a line each. */
  readonly details: readonly string[];
  /** How it can be done without being asked. */
  readonly hint: string;
  /** Takes note of their yes. */
  accept(): void;
}

/** Names that models give to the fields of a tool, as other systems taught them; no schema shows them. */
export interface FieldAliases {
  /** By the name that is given: the field that is meant. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The same for the objects of a list; one of them may also be given flat, beside the other fields. */
  readonly items?: { readonly list: string; readonly fields: Readonly<Record<string, string>> };
}

/** A capability as data plus one function. See {@link defineTool}. */
export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType, Name extends string = string> {
  /** Lower case with underscores, at most 64 characters; a tool of an MCP server is `mcp:<server>:<tool>`. */
  readonly name: Name;
  /** A few words for a person. */
  readonly title: string;
  /** What it does, for the model; one or two sentences. */
  readonly description: string;
  /** The strongest effect a call can have. */
  readonly effects: 'read' | 'write' | 'exec' | 'net' | 'mcp';
  /** Whether a call can destroy what it does not itself restore. */
  readonly destructive?: boolean;
  /** Whether repeating a call changes nothing more. */
  readonly idempotent?: boolean;
  /**
   * Whether a call does something beyond the powers of its context, such as on a server: that cannot be tried without
   * doing it, so there is no dry run. Default: whether it needs a permission for a network or a server.
   */
  readonly outside?: boolean;
  /** A `z.strictObject`: unknown fields are errors. */
  readonly input: Input;
  /** Other names of its fields that are taken silently, before anything is judged. Default: none. */
  readonly aliases?: FieldAliases;
  /** Names that other systems give to such a tool: a call of one is answered with this tool's name. */
  readonly otherNames?: readonly string[];
  /** What models are told of the input, where it was not made of `input` but came from elsewhere. */
  readonly inputSchema?: JsonSchema & { readonly type: 'object' };
  readonly output: Output;
  /** The resources a call needs. Pure: it never asks and never looks at the disk. */
  permission(input: z.output<Input>): readonly Permission[];
  /** Milliseconds after which a call is aborted. */
  readonly timeoutMs: number | DeadlineOf<z.output<Input>>;
  /** Each word of progress gives a call its whole time again, up to so many milliseconds in all. Default: it does not. */
  readonly renewableMs?: number;
  /**
   * Whether the text of an answer is that of something else, such as a file, to the byte: then nothing is added to it where a
   * program reads it. Default: it is lines, of which the last ends too.
   */
  readonly verbatim?: boolean;
  /** Which part of a text over the limit is kept: the `head`, or both `ends` and lines that look like errors. */
  readonly keep: 'head' | 'ends';
  /** One line for logs: what was asked, what came of it. */
  summarize(input: z.output<Input>, data: z.output<Output>): string;
  /** For tools that run something else: whether that succeeded. */
  completion?(data: z.output<Output>): 'ok' | 'failed' | 'timeout';
  /**
   * For a tool that does nothing beyond its answer but run its commands with `ctx.processes`, each of which is the resource of
   * an `exec` permission: they may run on a copy of the workspace then, and what they change is asked about instead of them.
   * Default: every command is decided on before it runs.
   */
  readonly runs?: {
    /** Why a call has to work on the workspace itself while it runs, as it goes on after "because"; undefined where it does not. */
    live(input: z.output<Input>): string | undefined;
  };
  /** For a tool that only stands for others: the call that is meant, which is judged, recorded and run in its place. */
  delegate?(input: unknown): DelegatedCall | undefined;
  /** What a person has to approve first; asked at each call. */
  held?(): HeldTool | undefined;
  /**
   * Runs an approved call on parsed input; its only powers are those of the context. A failure that the model shall read
   * is a thrown `SynapseError` (of `@synapse/protocol`); anything else that is thrown answers `internal`, and only the
   * audit log has its text. Heeds `ctx.signal`: what does not settle within 8 seconds of its abort is no longer waited for.
   */
  execute(input: z.output<Input>, ctx: ToolContext): Promise<ToolOutput<z.input<Output>>>;
}

/** A tool whose types are not known here: what a registry holds. */
export type AnyTool = ToolDefinition<z.ZodObject, z.ZodType>;

/** Receives what a running call tells about itself. */
export type ProgressListener = (progress: Progress) => void;

/**
 * Declares a tool. Gives back what it was given; it exists for its types.
 *
 * @example
 * import { createHands, defineTool } from '@synapse/hands';
 * import { SynapseError } from '@synapse/protocol';
 * import * as z from 'zod';
 *
 * const PRICES = new Map([['tea', 3]]);
 * const price = defineTool({
 *   name: 'price',
 *   title: 'Price',
 *   description: 'Tells what an article costs, in euros.',
 *   effects: 'read',
 *   input: z.strictObject({ article: z.string() }),
 *   output: z.strictObject({ euros: z.number() }),
 *   permission: () => [],
 *   timeoutMs: 1_000,
 *   keep: 'head',
 *   summarize: ({ article }, { euros }) => `price(${article}) → ${euros}`,
 *   execute: async ({ article }) => {
 *     const euros = PRICES.get(article);
 *     if (euros === undefined) throw new SynapseError('not_found', 'There is no such article.', { hint: `There is: ${[...PRICES.keys()].join(', ')}.` });
 *     return { data: { euros }, content: `${euros} euros` };
 *   },
 * });
 * await using hands = await createHands({ workspace: '.', tools: [price] });
 * console.log(await hands.call('price', { article: 'tea' }));
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType, const Name extends string>(
  definition: ToolDefinition<Input, Output, Name>,
): ToolDefinition<Input, Output, Name> {
  return definition;
}
