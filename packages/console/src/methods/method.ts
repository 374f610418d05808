import type { CONSOLE_METHODS, ConsoleMethod, ConsoleResult } from '@synapse/protocol/console';
import type { output } from 'zod';
import type { OpenProject } from '../project/open-project.ts';
import type { OpenProjects } from '../project/open-projects.ts';

/** The context of a method. */
export interface MethodContext {
  readonly project: OpenProject;
  readonly projects: OpenProjects;
  /** Aborted when the page cancels its request or disconnects. */
  readonly signal: AbortSignal;
  /** Creates a link that signs in another browser. */
  readonly createUrl: () => string;
}

/** Handles one method. */
export type Handler<Method extends ConsoleMethod> = (
  params: output<(typeof CONSOLE_METHODS)[Method]['params']>,
  context: MethodContext,
) => ConsoleResult<Method> | Promise<ConsoleResult<Method>>;

/** The methods of one domain, such as `jobs`. */
export type Handlers<Domain extends string> = { readonly [Method in Extract<ConsoleMethod, `${Domain}.${string}`>]: Handler<Method> };
