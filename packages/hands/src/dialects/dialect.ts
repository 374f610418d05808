import type { CallError, CallResult } from '@synapse/protocol';
import type * as z from 'zod';
import type { Limits } from '../output/limits.ts';
import type { NativeTool, ToolDescription } from '../providers/tool-description.ts';

/** A JSON Schema of an object, as sent to clients. */
export type ObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown };

/** The description of a dialect's tool, before it is converted to a provider's format. */
export interface DialectToolDescription extends ToolDescription {
  readonly inputSchema: ObjectSchema;
}

/** A canonical call that a dialect makes, with its own limits. */
export interface CanonicalCall {
  readonly tool: string;
  readonly input: unknown;
  readonly limits?: Partial<Limits>;
}

/** The answer to a call in the format of the dialect. */
export interface DialectAnswer {
  /** The value in the system's own shape, for programs. */
  readonly value: unknown;
  /** The text for a model: the value, or its JSON if it is not a string. */
  readonly output: string;
  readonly isError: boolean;
}

/** Yields canonical calls, receives their results and returns the answer. Has no access to the machine itself. */
export type Steps = Generator<CanonicalCall, DialectAnswer, CallResult>;

/** A tool of another system as data, and how canonical calls implement it. */
export interface DialectTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: Input;
  /** The canonical tools that its calls use. The tool is offered if the hands have them all. `mcp:*` is any tool of an MCP server. */
  readonly uses: readonly string[];
  readonly native?: NativeTool;
  /** Names in older versions, still accepted. */
  readonly olderNames?: readonly string[];
  /** Whether the other system runs it without asking. The policy of the hands decides what is permitted here. */
  readonly permission: 'auto' | 'ask';
  /** Milliseconds for a canonical call, once it is permitted. Can shorten the tool's deadline, not extend it. */
  readonly timeoutMs?: number;
  /** Pure: it reaches the machine only through the calls that it yields. */
  run(input: z.output<Input>): Steps;
}

/** Declares a dialect's tool. Its schema is created on first use: most runs use one dialect or none. */
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

/** The tool names, schemas, result shapes and error strings of another system. */
export interface Dialect {
  /** Lower case with dashes. */
  readonly name: string;
  /** Short name for users. */
  readonly title: string;
  /** The supported versions of the system. */
  readonly version: string;
  /** What is missing or different from the system, for the documentation. */
  readonly notCovered: readonly string[];
  /**
   * Folders outside the workspace that this system reads by default. Code that opens hands for this dialect alone passes
   * them as `readable`, and says so. Default: none.
   */
  readonly readable?: readonly string[];
  /** Whether its contract requires approval before its `ask` tools run. Default: false. */
  readonly asksFirst?: boolean;
  /** Runs commands with /bin/sh, as its contract says. Default: bash, if installed. */
  readonly shell?: 'sh';
  /** Has tools for commands that outlive their call. Default: each command ends with its call. */
  readonly jobs?: true;
  readonly tools: readonly DialectTool[];
  /** The answer to an unknown tool name. */
  unknownTool(name: string, error: CallError): DialectAnswer;
  /** The answer to invalid arguments. */
  invalidInput(error: CallError, tool: DialectTool): DialectAnswer;
  /** The answer to a failure that the tool does not handle itself. */
  failure(error: CallError, tool: DialectTool): DialectAnswer;
}

/** The result of a call through a dialect. */
export interface DialectResult extends DialectAnswer {
  /** The last canonical result; if no call was made, a failure that says why. */
  readonly result: CallResult;
}
