import { join } from 'node:path';
import type { CallEvent } from '@synapse/protocol';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { queryAudit } from '../audit/query-audit.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { PROBE } from '../testing/probe-tool.ts';

const Input = z.strictObject({ text: z.string().default(''), list: z.array(z.int()).optional(), deep: z.strictObject({ a: z.int() }).optional() });
const Output = z.strictObject({ text: z.string() });

/** A tool whose work is given; everything else about it is dull. */
function toolOf(
  execute: (text: string, ctx: ToolContext) => Promise<unknown>,
  overrides: Partial<Pick<AnyTool, 'summarize' | 'permission'>> & { timeoutMs?: number } = {},
): AnyTool {
  return {
    ...defineTool({
      ...PROBE,
      input: Input,
      output: Output,
      timeoutMs: 60_000,
      summarize: ({ text }) => `probe(${text})`,
      execute: async ({ text }, ctx) => ({ data: (await execute(text, ctx)) as { text: string }, content: text }),
    }),
    ...overrides,
  };
}

const echo = toolOf(async (text) => ({ text }));

/** Never settles by itself; tells when it was aborted. */
const waiting = (ended: (reason: unknown) => void, started: () => void = () => {}): AnyTool =>
  toolOf(
    (_text, { signal }) =>
      new Promise((_resolve, reject) => {
        started();
        signal.addEventListener('abort', () => {
          ended(signal.reason);
          reject(new Error('stopped in the middle'));
        });
      }),
  );

afterEach(() => {
  vi.useRealTimers();
});

describe('a call', () => {
  it('tells its whole story: data, output, meta and events', async () => {
    await using place = await temporaryHands({}, { tools: [echo] });
    const events: CallEvent[] = [];
    place.hands.subscribe((event) => events.push(event));
    const result = await place.hands.call('probe', { text: 'hi' }, { callId: 'c1', sessionId: 's1', stepId: 'step' });
    expect(result).toMatchObject({
      ok: true,
      output: 'hi',
      data: { text: 'hi' },
      meta: { callId: 'c1', tool: 'probe', sessionId: 's1', stepId: 'step', summary: 'probe(hi)' },
    });
    expect(events.map(({ type }) => type)).toEqual(['call-start', 'call-end']);
  });

  it.each<[string, unknown, string]>([
    ['a missing field', { list: ['x'] }, 'list[0]'],
    ['an unknown field', { txet: 'x' }, 'did you mean text'],
    ['a wrong type', { text: 3 }, 'text: expected string, received number'],
    ['a deep field', { deep: { a: 'x' } }, 'deep.a'],
    ['text that is no JSON', 'nonsense', 'not JSON'],
    ['a list', [1], 'expected object'],
    ['a function', { text: () => 1 }, 'text is a function'],
    ['a date', { text: new Date() }, 'text is not a plain object'],
    ['NaN', { list: [Number.NaN] }, 'list[0] must be a finite number'],
    ['a NUL', { text: 'a\0b' }, 'text holds a NUL'],
    ['half a surrogate pair', { text: 'a\ud800' }, 'text holds half'],
    ['a prototype', JSON.parse('{"__proto__":{"x":1}}'), '__proto__'],
  ])('refuses %s and names it', async (_name, input, words) => {
    await using place = await temporaryHands({}, { tools: [echo] });
    const result = await place.hands.call('probe', input);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments', message: expect.stringContaining(words) } });
  });

  it('names the mistake also where the input has what JSON has no words for', async () => {
    const input = z.strictObject({ when: z.coerce.date(), names: z.map(z.string(), z.string()).optional() });
    const dated: AnyTool = { ...echo, input };
    await using place = await temporaryHands({}, { tools: [dated] });
    expect(await place.hands.call('probe', { when: 'never' })).toMatchObject({
      error: {
        code: 'invalid_arguments',
        message: expect.stringContaining('probe: when'),
        hint: 'The valid form is probe { when: unknown, names?: unknown }',
      },
    });
  });

  it('says of a tool that broke where to look, and what was thrown is there alone', async () => {
    const breaks = toolOf(async () => await Promise.reject(new Error('no such customer')));
    await using place = await temporaryHands({}, { tools: [breaks] });
    const result = await place.hands.call('probe', {});
    expect(result).toMatchObject({ error: { code: 'internal', hint: expect.stringContaining('defect of the tool, or of Synapse') } });
    expect(JSON.stringify(result)).not.toContain('customer');
    const [logged] = queryAudit(join(place.outside, '../state'), place.folder);
    expect(logged?.end?.cause).toContain('no such customer');
  });

  it('refuses what is too deep or too big without falling over', async () => {
    await using place = await temporaryHands({}, { tools: [echo] });
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    expect(await place.hands.call('probe', JSON.parse(deep))).toMatchObject({ error: { message: expect.stringContaining('levels deep') } });
    expect(await place.hands.call('probe', `{"text":${deep}}`)).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await place.hands.call('probe', { text: 'x'.repeat(10_000_000) })).toMatchObject({
      error: { message: expect.stringMatching(/^text is too long/u) },
    });
    expect(await place.hands.call('probe', { list: Array.from({ length: 200_000 }, () => 1) })).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
  });

  it('reads arguments sent as JSON text, whole or per field, once', async () => {
    await using place = await temporaryHands({}, { tools: [echo] });
    expect(await place.hands.call('probe', '{"text":"x"}')).toMatchObject({ ok: true, data: { text: 'x' } });
    expect(await place.hands.call('probe', { list: '[1,2]' })).toMatchObject({ ok: true });
    expect(await place.hands.call('probe', { list: '["a"]' })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(await place.hands.call('probe', { text: '[1]' })).toMatchObject({ ok: true, data: { text: '[1]' } });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    [
      'an object that cannot be text',
      {
        toString: () => {
          throw new Error('no');
        },
      },
    ],
    ['a symbol', Symbol('x')],
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['half a surrogate pair', 'a\ud800'],
  ])('answers a name that is %s with a short refusal, and never rejects', async (_name, name) => {
    await using place = await temporaryHands();
    const events: CallEvent[] = [];
    place.hands.subscribe((event) => events.push(event));
    // What a program in JavaScript, or a response of a provider, may hand over in spite of the types.
    const result = await place.hands.call(name as string, {});
    expect(result).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    expect(JSON.stringify([result, events]).length).toBeLessThan(4_000);
    expect(result.meta.tool.isWellFormed()).toBe(true);
  });

  it('looks at a getter once, so what is checked is what runs', async () => {
    await using place = await temporaryHands({}, { tools: [echo] });
    let reads = 0;
    const input = {
      get text() {
        reads += 1;
        return reads === 1 ? 'first' : 'second';
      },
    };
    expect(await place.hands.call('probe', input)).toMatchObject({ data: { text: 'first' } });
    expect(reads).toBe(1);
  });

  it.each<[string, AnyTool]>([
    ['an error', toolOf(() => Promise.reject(new Error('secret path /etc')))],
    ['a string', toolOf(() => Promise.reject('text'))],
    ['nothing', toolOf(() => Promise.reject(undefined))],
    [
      'at once',
      toolOf(() => {
        throw new Error('sync');
      }),
    ],
    ['an answer of the wrong form', toolOf(async () => ({ wrong: true }))],
    [
      'from its summary',
      toolOf(async (text) => ({ text }), {
        summarize: () => {
          throw new Error('no');
        },
      }),
    ],
    [
      'from its permission',
      toolOf(async (text) => ({ text }), {
        permission: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('turns a tool that throws %s into a result', async (_name, tool) => {
    await using place = await temporaryHands({}, { tools: [tool] });
    const result = await place.hands.call('probe', {});
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('is cancelled by its signal, before and in the middle, and waits for the tool', async () => {
    const reasons: unknown[] = [];
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    await using place = await temporaryHands({}, { tools: [waiting((reason) => reasons.push(reason), start)] });
    expect(await place.hands.call('probe', {}, { signal: AbortSignal.abort() })).toMatchObject({ error: { code: 'cancelled' } });
    const controller = new AbortController();
    const running = place.hands.call('probe', {}, { signal: controller.signal });
    await started;
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(reasons).toHaveLength(1);
  });

  it('ends at its deadline, also when the tool ignores the signal', async () => {
    vi.useFakeTimers();
    const deaf = toolOf(() => new Promise(() => {}), { timeoutMs: 1_000 });
    await using place = await temporaryHands({}, { tools: [deaf] });
    const running = place.hands.call('probe', {});
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await running).toMatchObject({ ok: false, error: { code: 'timeout', retryable: true } });
  });

  it('keeps what a tool made of its time', async () => {
    vi.useFakeTimers();
    const partial = toolOf((_text, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: 'partial' }))), {
      timeoutMs: 1_000,
    });
    await using place = await temporaryHands({}, { tools: [partial] });
    const running = place.hands.call('probe', {});
    await vi.advanceTimersByTimeAsync(1_001);
    expect(await running).toMatchObject({ ok: true, data: { text: 'partial' } });
  });

  it('ends with its hands', async () => {
    const place = await temporaryHands({}, { tools: [waiting(() => {})] });
    const running = place.hands.call('probe', {});
    await place[Symbol.asyncDispose]();
    expect(await running).toMatchObject({ error: { code: 'cancelled' } });
    expect(await place.hands.call('file_info', { path: '.' })).toMatchObject({ ok: false });
  });

  const broken = new Error('a broken listener');
  it.each<[how: string, listen: () => void]>([
    [
      'throws',
      () => {
        throw broken;
      },
    ],
    ['rejects', async () => await Promise.reject(broken)],
  ])('is not broken by who listens to it and %s', async (_, listen) => {
    const telling = toolOf(async (text, ctx) => (ctx.progress({ message: text }), { text }));
    await using place = await temporaryHands({}, { tools: [telling] });
    const warnings: unknown[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    expect(await place.hands.call('probe', {}, { onProgress: listen })).toMatchObject({ ok: true });
    await expect.poll(() => warnings).toEqual([broken]);
    const events: CallEvent['type'][] = [];
    place.hands.subscribe(listen);
    place.hands.subscribe(({ type }) => events.push(type));
    expect(await place.hands.call('probe', {})).toMatchObject({ ok: true });
    expect(events).toEqual(['call-start', 'call-progress', 'call-end']);
    await expect.poll(() => warnings).toEqual(Array.from({ length: 4 }, () => broken));
  });

  it('is refused where the workspace is gone', async () => {
    await using place = await temporaryHands();
    const { rm } = await import('node:fs/promises');
    await rm(place.folder, { recursive: true });
    expect(await place.hands.call('list_directory', {})).toMatchObject({ error: { code: 'unavailable' } });
  });

  it('spills what is too long, and the spill can be read by its handle', async () => {
    const long = Array.from({ length: 5_000 }, (_, index) => `row ${index}\n`).join('');
    await using place = await temporaryHands({}, { tools: [{ ...echo, keep: 'ends' }] });
    const result = await place.hands.call('probe', { text: long });
    const spill = result.ok ? (result.meta.truncation?.spill ?? '') : '';
    expect(spill).toMatch(/^spill:/u);
    expect(result.ok && Buffer.byteLength(result.output)).toBeLessThan(53_000);
    expect(result.ok && result.output).toContain('row 4999');
    expect(await place.hands.call('read_file', { path: spill, offset: 2_500, limit: 1 })).toMatchObject({
      ok: true,
      data: { content: 'row 2499\n' },
    });
    expect(await place.hands.call('read_file', { path: 'spill:000000000000000000000000' })).toMatchObject({ error: { code: 'not_found' } });
    expect(await place.hands.call('write_file', { path: spill, content: 'x' })).toMatchObject({ error: { code: 'invalid_arguments' } });
  });
});

describe('the registry', () => {
  it('refuses a name twice, and a bad name', async () => {
    await expect(temporaryHands({}, { tools: [echo, echo] })).rejects.toThrow('registered already');
    await expect(temporaryHands({}, { tools: [{ ...echo, name: 'Bad-Name' }] })).rejects.toThrow('not valid');
  });
});
