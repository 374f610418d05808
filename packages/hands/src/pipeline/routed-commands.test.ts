import { expect, it } from 'vitest';
import type { ProcessOutcome, Processes } from '../process/processes.ts';
import { inTime, runAsReader } from './routed-commands.ts';

const OUTCOME: ProcessOutcome = { exitCode: 0, signal: null, aborted: false, durationMs: 1, leftRunning: 0, survivors: 0, sandbox: 'bubblewrap' };

/** Processes that print a text and end with a code. */
function printing(text: string, exitCode: number, ran: boolean[]): Processes {
  return {
    run: async ({ mode, onOutput }) => {
      ran.push(mode === 'read');
      onOutput('stderr', Buffer.from(text));
      return { ...OUTCOME, exitCode };
    },
  };
}

async function run(text: string, exitCode: number, again = true) {
  const ran: boolean[] = [];
  let output = '';
  const request = {
    argv: ['x'] as const,
    cwd: () => expect.fail('not needed'),
    signal: new AbortController().signal,
    onOutput: (_: unknown, chunk: Buffer) => void (output += chunk.toString()),
  };
  const outcome = await runAsReader(request, { processes: printing(text, exitCode, ran), again: again ? printing('again', 0, ran) : undefined });
  return { ran, output, exitCode: outcome.exitCode };
}

it.each<[string, string, number, boolean, object]>([
  ['runs once what succeeds', 'fine', 0, true, { ran: [true], output: 'fine', exitCode: 0 }],
  ['runs once what fails for another reason', 'no such file', 2, true, { ran: [true], output: 'no such file', exitCode: 2 }],
  ['shows what succeeds though it says so', 'EROFS', 0, true, { ran: [true], output: 'EROFS', exitCode: 0 }],
  [
    'runs again what wanted to write',
    "touch: cannot touch 'a': Read-only file system",
    1,
    true,
    { ran: [true, false], output: 'again', exitCode: 0 },
  ],
  ['runs again what node said of it', 'Error: EROFS: read-only file system', 1, true, { ran: [true, false], output: 'again', exitCode: 0 }],
  ['runs nothing again that may not', 'Read-only file system', 1, false, { ran: [true], output: 'Read-only file system', exitCode: 1 }],
  // So much was printed that some of it was shown: a second run would print it twice.
  ['runs nothing again that was seen', `${'x'.repeat(1024 * 1024)}Read-only file system`, 1, true, { ran: [true], exitCode: 1 }],
])('%s', async (_, text, code, again, expected) => {
  expect(await run(text, code, again)).toMatchObject(expected);
});

const OPEN = new AbortController().signal;

it('a command does not wait for a look at all files that takes too long', async () => {
  expect(await inTime(new Promise(() => {}), OPEN, 10)).toContain('still being read');
  const known = { hash: 'a'.repeat(64), hidden: undefined };
  expect(await inTime(Promise.resolve(known), OPEN, 60_000)).toBe(known);
});

it('a command does not wait for it once the hands close', async () => {
  const closing = new AbortController();
  const waiting = inTime(new Promise(() => {}), closing.signal, 60_000);
  closing.abort();
  expect(await waiting).toContain('still being read');
  expect(await inTime(new Promise(() => {}), closing.signal, 60_000)).toContain('still being read');
});
