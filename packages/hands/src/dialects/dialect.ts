import type { CallError, CallResult } from '@synapse/protocol';
import type * as z from 'zod';
import type { Limits } from '../limits.ts';
import type { NativeTool, ToolDescription } from '../providers/tool-description.ts';

/** A JSON Schema of an object, as it goes over a wire. */
export type ObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown };

/** A tool of a dialect as a model is told of it, before it is written for a provider. */
export interface DialectToolDescription extends ToolDescription {
  readonly inputSchema: ObjectSchema;
}

/** What a dialect wants done: a call of a canonical tool, with bounds of its own. */
export interface CanonicalCall {
  readonly tool: string;
  readonly input: unknown;
  readonly limits?: Partial<Limits>;
}

/** What a call gives in the words of the dialect. */
export interface DialectAnswer {
  /** The value in that system's own shape, for programs. */
  readonly value: unknown;
  /** The text for a model; where the value is no string, its JSON. */
  readonly output: string;
  readonly isError: boolean;
}

/** Yields canonical calls, takes their results and gives the answer: all the work, none of the power. */
export type Steps = Generator<CanonicalCall, DialectAnswer, CallResult>;

/** A tool of some other system as data, and how it is done with canonical calls. */
export interface DialectTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Input;
  /** The canonical tools its calls use; it is offered where the hands have them all. `mcp:*` stands for any tool of an MCP server. */
  readonly uses: readonly string[];
  readonly native?: NativeTool;
  /** Whether that system runs it unasked. What is permitted here is for the hands' own policy to say. */
  readonly permission: 'auto' | 'ask';
  /** Milliseconds for a canonical call, once it is permitted; it only ever shortens the deadline of that tool. */
  readonly timeoutMs?: number;
  /** Pure: what it needs from the machine it asks for by yielding calls. */
  run(input: z.output<Input>): Steps;
}

/** Declares a tool of a dialect. Its schema is made when it is first asked for: most runs speak one dialect, or none. */
export function defineDialectTool<Input extends z.ZodObject>(
  tool: Omit<DialectTool<Input>, 'input' | 'run'> & { readonly input: () => Input; run(input: z.output<Input>): Steps },
): DialectTool {
  let schema: Input | undefined;
  const defined: DialectTool<Input> = {
    ...tool,
    get input() {
      return (schema ??= tool.input());
    },
  };
  return defined;
}

/** A full set of tool names, schemas, result shapes and error strings of some other system. */
export interface Dialect {
  /** Lower case with dashes. */
  readonly name: string;
  /** A few words for a person. */
  readonly title: string;
  /** Which versions of that system are spoken. */
  readonly version: string;
  /** What of that system is left out or different, for the documentation. */
  readonly notCovered: readonly string[];
  /**
   * Folders outside the workspace that this system reads by default. What opens hands for this dialect alone passes
   * them on as `readable`, and says so; default: none.
   */
  readonly readable?: readonly string[];
  /** Whether its contract demands that what it declares `ask` is asked about before it runs. Default: false. */
  readonly asksFirst?: boolean;
  readonly tools: readonly DialectTool[];
  /** The answer to a name that the system does not have. */
  unknownTool(name: string, error: CallError): DialectAnswer;
  /** The answer to arguments that do not fit. */
  invalidInput(error: CallError, tool: DialectTool): DialectAnswer;
  /** The answer where a call failed in a way that its tool has no words of its own for. */
  failure(error: CallError, tool: DialectTool): DialectAnswer;
}

/** What came of a call through a dialect. */
export interface DialectResult extends DialectAnswer {
  /** The last canonical result; where no call was made, a failure that tells why. */
  readonly result: CallResult;
}
