import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { counted, remoteBench, type RemoteBench } from './fixtures/bench.ts';
import { sessionUrl } from './session-url.ts';

const start = (program: string, ...words: string[]): ChildProcess =>
  spawn(process.execPath, ['--conditions=synapse-source', fileURLToPath(new URL(`fixtures/${program}.ts`, import.meta.url)), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A machine and a relay as processes, which are started again when they die. */
async function faultyPlace(bench: RemoteBench, crash: { readonly hands?: string; readonly relay?: string }) {
  const file = join(bench.state, 'relay.sqlite');
  let over = false;
  const deaths: string[] = [];
  const living = new Set<ChildProcess>();
  const startRelay = async (port: string, crashAt = ''): Promise<string> => {
    const child = start('relay-process', port, file, crashAt);
    living.add(child);
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    void once(child, 'exit').then(() => {
      living.delete(child);
      deaths.push('relay');
      return over ? undefined : startRelay(new URL(line.toString().trim()).port);
    });
    return line.toString().trim();
  };
  const url = await startRelay('0', crash.relay);
  const startHands = (crashAt = ''): void => {
    const child = start('hands-process', sessionUrl(url, 'desk'), bench.folder, bench.state, bench.counter, crashAt);
    living.add(child);
    void once(child, 'exit').then(() => {
      living.delete(child);
      deaths.push('hands');
      if (!over) startHands();
    });
  };
  startHands(crash.hands);
  return {
    url,
    deaths,
    [Symbol.asyncDispose]: async () => {
      over = true;
      await Promise.all([...living].map(end));
    },
  };
}

const CALLS = ['a', 'b', 'c'];

it.each([
  { hands: 'commit:accepted' },
  { hands: 'commit:started' },
  { hands: 'run' },
  { hands: 'send:tool_accepted' },
  { hands: 'commit:done' },
  { hands: 'send:tool_result' },
  { hands: 'received' },
  { relay: 'store:session' },
  { relay: 'send:welcome' },
  { relay: 'store:call' },
  { relay: 'send:tool_call' },
  { relay: 'store:result' },
  { relay: 'send:tool_result' },
  { relay: 'store:received' },
  { relay: 'send:received' },
])(
  'killed before %j: no call runs twice, each gets one result, and what ran is told truly',
  async (crash) => {
    await using bench = await remoteBench();
    await using place = await faultyPlace(bench, crash);
    await using brain = connectHands(place.url, { session: 'desk' });
    const results = await Promise.all(CALLS.map((text) => brain.call('count', { text, size: 70_000 }, { callId: text })));
    const counts = counted(bench.counter);
    for (const [index, text] of CALLS.entries()) {
      const result = results[index]!;
      const times = counts.get(text) ?? 0;
      expect(times).toBeLessThanOrEqual(1);
      if (result.ok) expect({ times, data: result.data }).toEqual({ times: 1, data: { text: text.padEnd(70_000, 'ä') } });
      // Only a machine that died leaves a call of which it is not known what it did.
      else
        expect({ crash, status: result.error.details }).toEqual({
          crash: { hands: expect.any(String) as string },
          status: { status: 'interrupted' },
        });
    }
    // After the results of the last call are confirmed, which may be when it dies.
    await expect.poll(() => place.deaths, { timeout: 10_000 }).toContain(crash.hands === undefined ? 'relay' : 'hands');
  },
  60_000,
);
