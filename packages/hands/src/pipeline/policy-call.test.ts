import { expect, it } from 'vitest';
import { until } from '../events/timing.ts';
import { runCommand } from '../tools/run-command.ts';
import { policyCall } from './check-permissions.ts';

const call = { tool: runCommand, permissions: [{ action: 'exec', resource: 'true' }], arguments: { command: 'true' } } as const;
/** A machine whose sandbox opens for ever. */
const machine = async (signal: AbortSignal): Promise<never> => await until(new Promise<never>(() => {}), signal);

it.each(['call', 'hands'] as const)('a look at the machine ends with the %s', async (which) => {
  const [options, closing] = [new AbortController(), new AbortController()];
  const looking = policyCall({ ...call, options: { signal: options.signal } }, { machine, runsLive: undefined, closing: closing.signal });
  (which === 'call' ? options : closing).abort();
  await expect(looking).rejects.toMatchObject({ code: 'cancelled', message: 'run_command was cancelled.' });
});
