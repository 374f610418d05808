import type { Output } from './output.ts';

/** Every option of every command; a name means the same wherever it is taken. */
export interface CommandOptions {
  /** Undefined where it is the current folder that nobody named. */
  readonly workspace: string | undefined;
  readonly json: boolean;
  readonly yes: boolean;
  readonly allow: readonly string[];
  readonly tools: readonly string[] | undefined;
  readonly dialect: string | undefined;
  readonly http: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly tokenFile: string | undefined;
  readonly allowOrigin: readonly string[];
  readonly readable: readonly string[];
  readonly sandbox: string | undefined;
  readonly network: readonly string[] | undefined;
  readonly maxOutput: number | undefined;
  readonly quiet: boolean;
  readonly format: string | undefined;
  readonly follow: boolean;
  readonly tool: string | undefined;
  readonly session: string | undefined;
  readonly since: Date | undefined;
  readonly limit: number | undefined;
  readonly last: number | undefined;
  readonly client: string | undefined;
  readonly project: boolean;
  readonly user: boolean;
  readonly undo: boolean;
  readonly mcp: boolean;
  readonly dryRun: boolean;
  readonly undoable: boolean;
}

/** What a command gets to work with. */
export interface CommandContext {
  readonly arguments: readonly (string | undefined)[];
  readonly options: CommandOptions;
  /** For results, and nothing else. */
  readonly out: Output;
  /** For everything else. */
  readonly err: Output;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted when the person or the system wants the process to end. */
  readonly signal: AbortSignal;
  readonly version: string;
}

/** Does what a command is for. Gives the exit code; throws a Synapse error for what it cannot do. */
export type CommandAction = (context: CommandContext) => Promise<number>;

/** A command as data; what it does is loaded when it is called. */
export interface CommandDefinition {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What more there is to know, for the command's own help. */
  readonly details?: string;
  /** As commander writes them: `<required>`, `[optional]`, with a description. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: readonly (keyof CommandOptions)[];
  /** What options mean here, where their usual description would say something else. */
  readonly wording?: Partial<Readonly<Record<keyof CommandOptions, string>>>;
  /** Command lines with what they do. */
  readonly examples: readonly (readonly [commandLine: string, does: string])[];
  readonly load: () => Promise<CommandAction>;
  /** Commands below this one, such as `log verify`. */
  readonly commands?: readonly CommandDefinition[];
}
