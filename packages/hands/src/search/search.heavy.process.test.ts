import { execFile } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { LocalProcesses } from '../process/local-processes.ts';
import type { Processes } from '../process/processes.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { type AnyTool, defineTool } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { bundledRipgrep, findRipgrep, Search } from './search.ts';
import type { TextRequest } from './text-search.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { PROBE } from '../testing/probe-tool.ts';
import { TEXT_REQUEST } from '../testing/two-searches.ts';

const run = promisify(execFile);

const TEXT: TextRequest = { ...TEXT_REQUEST, pattern: 'foo' };

/** Real processes; `onChunk` hears of output before it is passed on. */
function listening(onChunk: () => void): Processes {
  const processes = new LocalProcesses();
  return {
    run: ({ onOutput, ...request }) =>
      processes.run({
        ...request,
        onOutput: (stream, chunk) => {
          onOutput(stream, chunk);
          if (stream === 'stdout') onChunk();
        },
      }),
  };
}

/** A tool that hands its context to the test. */
function withContext<T>(work: (ctx: ToolContext) => Promise<T>): { tool: AnyTool; result: Promise<T> } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const tool = defineTool({
    ...PROBE,
    async execute(_input, ctx) {
      await work(ctx).then(resolve, reject);
      return { data: {}, content: '' };
    },
  });
  return { tool, result: promise };
}

describe('a search whose time is up', () => {
  it('gives what it has of lines', async () => {
    const stop = new AbortController();
    const search = new Search(listening(() => stop.abort(new SynapseError('timeout', 'Too late.'))));
    const { tool, result } = withContext(({ workspace }) => search.text({ ...TEXT, limit: 1_000_000 }, workspace, stop.signal));
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}.txt`, 'foo bar\n'.repeat(20_000)]));
    await using place = await temporaryHands(files, { tools: [tool] });
    await place.hands.call('probe', {});
    const { matches, stoppedBy, changed } = await result;
    expect(stoppedBy).toBe('time');
    expect(matches.length).toBeGreaterThan(0);
    expect(matches.length).toBeLessThan(40 * 20_000);
    expect(changed).toBe(0);
  });

  it('gives what it has of files', async () => {
    const stop = new AbortController();
    const search = new Search(listening(() => stop.abort(new SynapseError('timeout', 'Too late.'))));
    const request = { globs: ['*'], path: '.', hidden: false, ignore: true, limit: 10 };
    const { tool, result } = withContext(({ workspace }) => search.files(request, workspace, stop.signal));
    await using place = await temporaryHands({ 'a.txt': '', 'b.txt': '' }, { tools: [tool] });
    await place.hands.call('probe', {});
    expect(await result).toMatchObject({ stoppedBy: 'time', files: [{ path: expect.any(String) }, {}] });
  });
});

describe('results that changed', () => {
  it('are left out and counted', async () => {
    const folder = Promise.withResolvers<string>();
    const processes = new LocalProcesses();
    const search = new Search({
      async run(request) {
        const outcome = await processes.run(request);
        // Not after the listing of ignore files.
        if (request.argv.includes('--json')) await writeFile(join(await folder.promise, 'a.txt'), 'bar\n'.repeat(5));
        return outcome;
      },
    });
    const { tool, result } = withContext(({ workspace, signal }) => search.text(TEXT, workspace, signal));
    await using place = await temporaryHands({ 'a.txt': 'foo\n'.repeat(5), 'b.txt': 'foo' }, { tools: [tool] });
    folder.resolve(place.folder);
    await place.hands.call('probe', {});
    expect(await result).toMatchObject({ changed: 5, matches: [{ path: 'b.txt', line: 1 }] });
  });
});

/** Searches in a separate process and prints how much its memory grew, in MB. */
const MEASURE = `
  import { createHands } from '@synapse/hands';
  const [workspace, stateFolder, pattern, path] = process.argv.slice(1);
  await using hands = await createHands({ workspace, stateFolder });
  await hands.call('search_text', { pattern: 'nothing to be found' });
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 5);
  const result = await hands.call('search_text', { pattern, path });
  clearInterval(watch);
  peak = Math.max(peak, process.memoryUsage.rss());
  console.log(JSON.stringify({ megabytes: (peak - before) / 1e6, text: result.data?.matches[0]?.text, files: result.data?.files }));`;

describe('a line of 50 MB', () => {
  it.each<[string, string, string | undefined]>([
    ['is found and shown in part', 'needle', '…'],
    ['does not list each of its matches', 'x', 'x'],
  ])('%s', { timeout: 60_000 }, async (_name, pattern, start) => {
    await using place = await temporaryHands();
    const file = await open(place.at('line.txt'), 'w');
    const chunk = Buffer.alloc(5_000_000, 'xxxxxxxxx"');
    for (let count = 0; count < 10; count += 1) await file.write(chunk);
    await file.write('needle');
    await file.close();
    const { stdout } = await run(
      process.execPath,
      ['--conditions=synapse-source', '--input-type=module', '-e', MEASURE, place.folder, `${place.outside}/state`, pattern, 'line.txt'],
      { cwd: import.meta.dirname },
    );
    const { megabytes, text, files } = JSON.parse(stdout) as { megabytes: number; text: string; files: string[] };
    expect(files).toEqual(['line.txt']);
    expect(text.startsWith(start ?? '')).toBe(true);
    expect(text.length).toBeLessThan(510);
    expect(megabytes).toBeLessThan(64);
    expect(await place.hands.call('search_text', { pattern })).toMatchObject({ data: { files: ['line.txt'] } });
  });
});

it('goes on without the largest files where a line takes more memory than a walk may have', { timeout: 60_000 }, async () => {
  await using place = await temporaryHands({ 'a.txt': 'foo\n', 'z/b.txt': 'foo\n' });
  const file = await open(place.at('line.txt'), 'w');
  const chunk = Buffer.alloc(10_000_000, 'x');
  for (let count = 0; count < 30; count += 1) await file.write(chunk);
  await file.write('foo');
  await file.close();
  expect(await place.hands.call('search_text', { pattern: 'foo' })).toMatchObject({ ok: true, data: { files: ['a.txt', 'z/b.txt'] } });
});

const CWD: PinnedDirectory = {
  location: [],
  self: '.',
  at: String,
  child: () => CWD,
  [Symbol.dispose]: () => {},
};
const { signal } = new AbortController();
const NONE = async (): Promise<undefined> => undefined;

/** A machine whose rg prints this, or that has none. */
function machine(text: string | undefined): Processes {
  return {
    async run({ onOutput }) {
      if (text === undefined) throw new Error('no such program');
      onOutput('stdout', Buffer.from(text));
      return { exitCode: 0, signal: null, aborted: false, durationMs: 1, leftRunning: 0, survivors: 0, sandbox: 'none' };
    },
  };
}

it('takes the one from npm', async () => {
  expect(await findRipgrep(machine(undefined), CWD, signal)).toBe(await bundledRipgrep());
  expect(await bundledRipgrep()).toMatch(/rg(?:\.exe)?$/u);
});

it('else a recent one of the machine', async () => {
  expect(await findRipgrep(machine('ripgrep 13.0.0\n-SIMD'), CWD, signal, NONE)).toBe('rg');
});

it.each([undefined, 'ripgrep 12.1.1\n', 'something else'])('else says what to install (%j)', async (text) => {
  await expect(findRipgrep(machine(text), CWD, signal, NONE)).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringContaining('install ripgrep 13'),
  });
});
