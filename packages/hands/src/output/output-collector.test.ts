import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { MAX_SPILL_BYTES, SpillStore } from '../workspace/spill-store.ts';
import { shownSizes, type Keep } from './cut-text.ts';
import { OutputCollector, type CollectOptions, type CollectedOutput } from './output-collector.ts';

let folder: string;
let store: SpillStore;
const small: Limits = { outputBytes: 2_000, outputLines: 40, lineCharacters: 2_000 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synapse-spill-'));
  store = new SpillStore(join(folder, 'spills'));
});

function collect(chunks: Iterable<Uint8Array>, limits: Limits, keep: Keep, options?: CollectOptions): CollectedOutput {
  using collector = new OutputCollector(limits, store, options);
  for (const chunk of chunks) collector.write(chunk);
  return collector.finish(keep);
}

function stored({ truncation }: CollectedOutput): Promise<Buffer> {
  const path = store.resolve(truncation?.spill ?? '');
  if (path === undefined) throw new Error('Nothing was stored.');
  return readFile(path);
}

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');
setFlagsFromString('--no-expose-gc');

const lines = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

/** Bytes as programs write them: lines, colors, progress bars, half characters and noise. */
const piece = fc.oneof(
  fc.constantFrom('\n', '\r', '\r\n', '\b', '\u001B[31m', '\u001B]0;t', '\u0007', '\u001B\\', '\u009B', 'Error: x\n', '😀', '日', 'e\u0301'),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.integer({ min: 1, max: 3_000 }).map((length) => 'x'.repeat(length)),
);
const output = fc
  .array(fc.oneof({ weight: 4, arbitrary: piece.map((text) => Buffer.from(text)) }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) }), {
    maxLength: 40,
  })
  .map((pieces) => Buffer.concat(pieces));

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('OutputCollector', () => {
  it('gives a short output back as it is, and writes nothing', async () => {
    const before = await readdir(folder);
    expect(collect([Buffer.from('one\ntwo')], DEFAULT_LIMITS, 'ends')).toEqual({ text: 'one\ntwo' });
    expect(await readdir(folder)).toEqual(before);
  });

  it('shows both ends, says how much is missing, and stores every byte', async () => {
    const text = lines(1, 3_000);
    const result = collect([Buffer.from(text)], DEFAULT_LIMITS, 'ends');
    expect(result.text.startsWith('line 1\nline 2\n')).toBe(true);
    expect(result.text.endsWith('line 2999\nline 3000\n')).toBe(true);
    const left = /\[… ([\d,]+) lines left out …\]/u.exec(result.text)?.[1]?.replace(',', '');
    expect(Number(left) + shownSizes(result.text).lines - 1).toBe(3_000);
    expect(result.truncation).toMatchObject({ by: 'lines', total: { bytes: text.length, lines: 3_000 }, shown: shownSizes(result.text) });
    expect((await stored(result)).toString()).toBe(text);
  });

  it('gives a fifth to the beginning and the rest to the end', () => {
    const [head = '', tail = ''] = collect([Buffer.from(lines(1, 50_000))], { ...DEFAULT_LIMITS, outputLines: 100_000 }, 'ends').text.split(
      /\[….*…\]\n/u,
    );
    expect(head.length / DEFAULT_LIMITS.outputBytes).toBeCloseTo(0.2, 1);
    expect(tail.length / DEFAULT_LIMITS.outputBytes).toBeCloseTo(0.8, 1);
  });

  it('shows lines that look like errors from the middle, once', () => {
    const text = `${lines(1, 3_000)}src/a.ts: error TS1: broken\n${lines(3_001, 6_000)}`;
    const result = collect([Buffer.from(text)], DEFAULT_LIMITS, 'ends');
    expect(result.text.match(/error TS1/gu)).toHaveLength(1);
    expect(result.text).toContain(
      '[lines from there that look like errors, and what follows each]\nsrc/a.ts: error TS1: broken\nline 3001\nline 3002\nline 3003\n[end of these lines]\n',
    );
  });

  it('finds errors in the middle even after many at the beginning', () => {
    const text = `${'error early\n'.repeat(300)}${lines(1, 3_000)}fatal: the cause\n${lines(1, 3_000)}`;
    expect(collect([Buffer.from(text)], DEFAULT_LIMITS, 'ends').text).toContain('fatal: the cause');
  });

  it('keeps colors out of the text and out of the store, where a search for the end of a line finds it', async () => {
    const bytes = Buffer.from('\u001B[31mred\u001B[0m line\r\n'.repeat(3_000));
    const result = collect([bytes], DEFAULT_LIMITS, 'ends', { terminal: true });
    expect(result.text).toMatch(/^red line\nred line\n/u);
    expect(result.text).not.toContain('\u001B');
    expect(result.text).not.toContain('\r');
    expect((await stored(result)).toString()).toBe('red line\n'.repeat(3_000));
  });

  it('stores lines and no progress, in any pieces and however long', async () => {
    const before = await readdir(join(folder, 'spills'));
    const text = Array.from({ length: 60_000 }, (_, index) => `\r1 %\r50 %\r\u001B[32mé ${index}\u001B[39m\n`).join('');
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7_919) }, (_, index) => bytes.subarray(index * 7_919, (index + 1) * 7_919));
    const result = collect(pieces, DEFAULT_LIMITS, 'ends', { terminal: true });
    expect((await stored(result)).toString()).toBe(Array.from({ length: 60_000 }, (_, index) => `é ${index}\n`).join(''));
    expect(await readdir(join(folder, 'spills'))).toHaveLength(before.length + 1);
  });

  it('keeps bytes that are no text as they are, where there is nothing for a terminal', async () => {
    const bytes = Buffer.from('caf\u00e9 line\n'.repeat(6_000), 'latin1');
    expect((await stored(collect([bytes], DEFAULT_LIMITS, 'ends', { terminal: true }))).equals(bytes)).toBe(true);
  });

  it('leaves nothing on disk where a long progress bar comes down to little', async () => {
    const before = await readdir(join(folder, 'spills'));
    const bar = Buffer.from(Array.from({ length: 100_000 }, (_, index) => `${index} of 100000\r`).join(''));
    expect(collect([bar, Buffer.from('done\n')], DEFAULT_LIMITS, 'ends', { terminal: true })).toEqual({ text: 'done\n' });
    expect(await readdir(join(folder, 'spills'))).toEqual(before);
  });

  it('leaves nothing on disk when it is given up', async () => {
    const before = await readdir(join(folder, 'spills'));
    {
      using collector = new OutputCollector(small, store);
      collector.write(Buffer.alloc(300_000, 'x'));
      expect(await readdir(join(folder, 'spills'))).toHaveLength(before.length + 1);
    }
    expect(await readdir(join(folder, 'spills'))).toEqual(before);
  });

  it('stores at most 64 MiB, says so, and stays small', async () => {
    using collector = new OutputCollector(DEFAULT_LIMITS, store);
    const written: Array<WeakRef<Buffer>> = [];
    for (let count = 0; count < 80; count += 1) {
      const chunk = Buffer.alloc(1024 * 1024, 'y\n');
      written.push(new WeakRef(chunk));
      collector.write(chunk);
    }
    // A weak reference holds what it leads to until the end of its turn.
    await setImmediate();
    if (typeof collectGarbage === 'function') Reflect.apply(collectGarbage, undefined, []);
    expect(written.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(4);
    const result = collector.finish('ends');
    expect(result.truncation?.total.bytes).toBe(80 * 1024 * 1024);
    expect(result.truncation?.next).toContain('The first 64 MiB');
    expect((await stored(result)).byteLength).toBe(MAX_SPILL_BYTES);
  });

  it('answers where nothing can be stored', async () => {
    await writeFile(join(folder, 'no-folder'), '');
    using collector = new OutputCollector(small, new SpillStore(join(folder, 'no-folder', 'spills')));
    collector.write(Buffer.alloc(300_000, 'x'));
    expect(collector.finish('ends').truncation).toMatchObject({ by: 'bytes', next: '1 line in all; the rest was not stored.' });
  });

  it('does not depend on the pieces, nor exceed its limits', () => {
    const pieces = fc.array(fc.nat(), { maxLength: 30 });
    fc.assert(
      fc.property(
        output,
        pieces,
        fc.constantFrom('head', 'ends'),
        fc.boolean(),
        fc.nat(3_000),
        fc.nat(60),
        (bytes, cuts, keep: Keep, terminal, outputBytes, outputLines) => {
          const limits: Limits = { ...small, outputBytes, outputLines };
          const options = { terminal, spill: false };
          const whole = collect([bytes], limits, keep, options);
          expect(collect(split(bytes, cuts), limits, keep, options)).toEqual(whole);
          const shown = shownSizes(whole.text);
          expect(shown.bytes).toBeLessThanOrEqual(outputBytes);
          expect(shown.lines).toBeLessThanOrEqual(outputLines);
          const asItIs = terminal || whole.truncation !== undefined ? whole.text : bytes.toString();
          expect(whole.text).toBe(asItIs);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('shows the true beginning and end, and stores the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(output, fc.array(fc.nat(), { maxLength: 5 }), async (bytes, cuts) => {
        const result = collect(split(bytes, cuts), small, 'ends');
        if (result.truncation === undefined) return;
        const text = bytes.toString();
        const [head = '', ...rest] = result.text.split(
          /\n?\[… [\d,]+ (?:lines?|bytes?) left out …\]\n(?:\[lines from there[^]*\[end of these lines\]\n)?/u,
        );
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(rest.at(-1) ?? '')).toBe(true);
        expect((await stored(result)).equals(bytes)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
