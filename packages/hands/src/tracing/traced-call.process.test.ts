import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import { PROBE } from '../testing/probe-tool.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
});

afterEach(() => {
  context.disable();
  trace.disable();
  exporter.reset();
});

function spanNamed(name: string): ReadableSpan {
  const span = exporter.getFinishedSpans().find((finished) => finished.name === name);
  if (span === undefined) throw new Error(`Span not found: ${name}`);
  return span;
}

/** A tool that calls something which traces itself, as instrumented libraries do. */
const inner = defineTool({
  ...PROBE,
  name: 'inner',
  summarize: () => 'inner()',
  async execute() {
    await Promise.resolve();
    trace.getTracer('library').startSpan('library work').end();
    return { data: {}, content: '' };
  },
});

describe('a call where the application has an SDK', () => {
  it('is a span by the conventions, a child of the active one, and active itself while the tool runs', async () => {
    await using place = await temporaryHands({}, { tools: [inner] });
    const { hands } = place;
    await trace.getTracer('app').startActiveSpan('agent', async (agent) => {
      const { meta } = await hands.call('inner', {}, { sessionId: 's-1' });
      agent.end();
      const span = spanNamed('execute_tool inner');
      expect(span.kind).toBe(SpanKind.INTERNAL);
      expect(span.attributes).toEqual({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'inner',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': meta.callId,
        'gen_ai.conversation.id': 's-1',
        'synapse.completion': 'ok',
      });
      expect(span.parentSpanContext?.spanId).toBe(agent.spanContext().spanId);
      expect(spanNamed('library work').parentSpanContext?.spanId).toBe(span.spanContext().spanId);
      expect(span.status.code).toBe(SpanStatusCode.UNSET);
    });
  });

  it.each([
    { tool: 'read_file', input: { path: 'missing-file.txt' }, code: 'not_found' },
    { tool: 'read_file', input: { path: 7 }, code: 'invalid_arguments' },
    { tool: 'no_such_tool', input: {}, code: 'unknown_tool' },
    { tool: 'write_file', input: { path: 'private-name.txt', content: 'x' }, code: 'approval_required' },
  ])('that fails with $code says so, and nothing of its content', async ({ tool, input, code }) => {
    await using place = await temporaryHands({}, { allow: [] });
    await place.hands.call(tool, input);
    const span = spanNamed(`execute_tool ${tool}`);
    expect(span.attributes['error.type']).toBe(code);
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: code });
    expect(JSON.stringify([span.attributes, span.events, span.status])).not.toMatch(/missing-file|private-name/u);
  });

  it('holds arguments and result only when asked, without secrets', async () => {
    const token = `ghp_${'a'.repeat(36)}`;
    await using quiet = await temporaryHands();
    await quiet.hands.call('write_file', { path: 'a.txt', content: token });
    expect(JSON.stringify(spanNamed('execute_tool write_file').attributes)).not.toContain('a.txt');
    exporter.reset();

    await using telling = await temporaryHands(
      { 'b.txt': `${token}\nhunter2-hunter2\nharmless\n` },
      { tracing: { recordContent: true }, environment: { DEPLOY_TOKEN: 'hunter2-hunter2' } },
    );
    await telling.hands.call('write_file', { path: 'a.txt', content: `${token} hunter2-hunter2` });
    await telling.hands.call('read_file', { path: 'b.txt' });
    const written = String(spanNamed('execute_tool write_file').attributes['gen_ai.tool.call.arguments']);
    const read = String(spanNamed('execute_tool read_file').attributes['gen_ai.tool.call.result']);
    expect(written).toContain('a.txt');
    expect(read).toContain('harmless');
    expect(written + read).not.toMatch(/ghp_a|hunter2/u);
  });

  it('runs once and is answered when the tracer or the context manager throws', async () => {
    trace.disable();
    context.disable();
    const broken = (): never => {
      throw new Error('broken');
    };
    let calls = 0;
    const counting = defineTool({ ...inner, execute: async () => ((calls += 1), { data: {}, content: 'done' }) });
    await using place = await temporaryHands({}, { tools: [counting] });
    const { hands } = place;
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: broken, startActiveSpan: broken }) });
    expect(await hands.call('inner', {})).toMatchObject({ ok: true });
    trace.disable();
    trace.setGlobalTracerProvider(provider);
    const manager = new AsyncLocalStorageContextManager();
    context.setGlobalContextManager(Object.assign(manager, { with: broken }));
    expect(await hands.call('inner', {})).toMatchObject({ ok: true });
    expect(calls).toBe(2);
  });
});

describe('a call where there is none', () => {
  it('loads nothing of OpenTelemetry', () => {
    const program = (before: string): string => `
      import { createHands } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../runtime/create-hands.ts')).href)};
      import { createRequire } from 'node:module';
      import { mkdtempSync } from 'node:fs';
      import { join } from 'node:path';
      const temporary = () => mkdtempSync(join(process.env.TMPDIR ?? '/tmp', 'synapse-tracing-'));
      ${before}
      await using hands = await createHands({ workspace: temporary(), stateFolder: temporary() });
      const { ok } = await hands.call('list_directory', {});
      const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('@opentelemetry'));
      console.log(JSON.stringify({ ok, loaded }));
    `;
    const run = (before = ''): unknown =>
      JSON.parse(
        execFileSync(process.execPath, ['--conditions=synapse-source', '--input-type=module', '--eval', program(before)], {
          cwd: import.meta.dirname,
          encoding: 'utf8',
        }),
      );
    expect(run()).toEqual({ ok: true, loaded: false });
    expect(run("globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.9.0', trace: undefined };")).toEqual({ ok: true, loaded: true });
  });
});
