import type { CommandIo } from '../command/command.ts';
import { tellPort } from '../output/tell-port.ts';
import { connectFarAway } from './open-far-hands.ts';

interface ForwardOptions {
  readonly port: number | undefined;
  readonly localPort: number | undefined;
  readonly json: boolean;
}

/** Opens a port here that leads to a job on another machine, until the signal aborts or the job ends. */
export async function forwardRemote(url: string, job: string, { port, localPort, json }: ForwardOptions, io: CommandIo): Promise<number> {
  const { err, signal } = io;
  await using hands = await connectFarAway(url, { err });
  await using forwarded = await hands.forwardPort(job, { port, localPort, signal });
  tellPort(forwarded, json, io);
  err.write(`It leads to port ${forwarded.jobPort} of ${forwarded.job} until Ctrl+C.\n`, 'dim');
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => resolve(undefined), { once: true });
  if (signal.aborted) resolve(undefined);
  const reason = await Promise.race([forwarded.ended, stopped]);
  if (reason !== undefined) throw reason;
  return 0;
}
