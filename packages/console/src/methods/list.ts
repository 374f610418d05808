import { SynapseError } from '@synapse/protocol';
import { CONSOLE_METHODS, type ConsoleMethod } from '@synapse/protocol/console';
import * as z from 'zod';
import { approvals, forms } from './approvals.ts';
import { branches } from './branches.ts';
import { calls } from './calls.ts';
import { changes } from './changes.ts';
import { checks } from './checks.ts';
import { jobs } from './jobs.ts';
import type { Handler, MethodContext } from './method.ts';
import { past } from './past.ts';
import { pending } from './pending.ts';
import { policy } from './policy.ts';
import { projects } from './projects.ts';
import { quarantine } from './quarantine.ts';
import { runs } from './runs.ts';
import { servers } from './servers.ts';
import { settings } from './settings.ts';
import { tools } from './tools.ts';

const HANDLERS: { readonly [Method in ConsoleMethod]: Handler<Method> } = {
  ...calls,
  ...approvals,
  ...forms,
  ...jobs,
  ...runs,
  ...tools,
  ...checks,
  ...changes,
  ...past,
  ...branches,
  ...pending,
  ...quarantine,
  ...projects,
  ...policy,
  ...settings,
  ...servers,
};

function isMethod(name: string): name is ConsoleMethod {
  return Object.hasOwn(CONSOLE_METHODS, name);
}

/**
 * Runs a request of a page. The result is validated too, so that nothing undeclared is sent.
 *
 * @throws SynapseError `invalid_arguments` for an invalid request, and any error of the method
 */
export async function runMethod(name: string, params: unknown, context: MethodContext): Promise<unknown> {
  if (!isMethod(name)) throw new SynapseError('invalid_arguments', `Unknown method: ${name.slice(0, 40)}`);
  const method = CONSOLE_METHODS[name];
  const parsed = method.params.safeParse(params);
  if (!parsed.success) throw new SynapseError('invalid_arguments', z.prettifyError(parsed.error));
  // The table ties each handler to the schema of its name. TypeScript cannot verify this for a variable name.
  const handler = HANDLERS[name] as (given: unknown, context: MethodContext) => unknown;
  return method.result.parse(await handler(parsed.data, context));
}
