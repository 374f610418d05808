import type * as OpenTelemetry from '@opentelemetry/api';
import type { Context, Span } from '@opentelemetry/api';
import { errorText, type CallResult } from '@synapse/protocol';
import type { RequestedCall } from '../pipeline/call.ts';
import { describeArguments } from '../store/audit/describe-arguments.ts';
import type { Redact } from '../store/audit/redact.ts';
import { displayText } from '../workspace/byte-name.ts';
import { ATTRIBUTE, OPERATION } from './attribute-names.ts';

/** What traces tell of calls. */
export interface TracingOptions {
  /** Whether spans hold arguments and results, without secrets of known shape. Default: no. */
  readonly recordContent?: boolean;
}

/** What {@link traced} needs to know. */
export interface Tracing extends TracingOptions {
  /** Takes secrets out of what is recorded. */
  readonly redact: Redact;
}

type Api = typeof OpenTelemetry;

/** Where every copy of OpenTelemetry's API of major version 1 keeps what an application registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
/** Backends cut or refuse longer attributes; in characters. */
const MAX_CONTENT = 64 * 1024;
/** Beyond the kept part, so that a secret that begins in it is seen whole. A private key of 4,096 bits has 3,300. */
const LOOK_AHEAD = 4_096;

function isRegistered(): boolean {
  const registered: unknown = Reflect.get(globalThis, REGISTERED);
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}

/** A tracer is somebody else's code: whatever it throws is said once to whoever installed it, and the call goes on. */
function guarded<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
    return undefined;
  }
}

function start({ trace, context, SpanKind }: Api, call: RequestedCall, { recordContent, redact }: Tracing): { span: Span; active: Context } {
  const name = displayText(call.name);
  const span = trace.getTracer('synapse').startSpan(`${OPERATION} ${name}`, {
    kind: SpanKind.INTERNAL,
    attributes: {
      [ATTRIBUTE.operation]: OPERATION,
      [ATTRIBUTE.tool]: name,
      [ATTRIBUTE.type]: 'function',
      [ATTRIBUTE.callId]: call.callId,
      ...(call.options.sessionId === undefined ? {} : { [ATTRIBUTE.session]: call.options.sessionId }),
      ...(recordContent === true
        ? { [ATTRIBUTE.arguments]: (JSON.stringify(describeArguments(call.input, redact)) ?? 'null').slice(0, MAX_CONTENT) }
        : {}),
    },
  });
  return { span, active: trace.setSpan(context.active(), span) };
}

function finish({ SpanStatusCode }: Api, span: Span, result: CallResult, { recordContent, redact }: Tracing): void {
  const { completion, sandbox } = result.meta;
  span.setAttribute(ATTRIBUTE.completion, completion);
  if (sandbox !== undefined) span.setAttribute(ATTRIBUTE.sandbox, sandbox);
  if (recordContent === true) {
    const text = result.ok ? result.output : errorText(result.error);
    span.setAttribute(ATTRIBUTE.result, redact(text.slice(0, MAX_CONTENT + LOOK_AHEAD)).slice(0, MAX_CONTENT));
  }
  if (!result.ok) {
    span.setAttribute(ATTRIBUTE.error, result.error.code);
    // The message may quote what the call was about: the code says enough.
    span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.code });
  }
  span.end();
}

async function inSpan(api: Api, call: RequestedCall, tracing: Tracing, run: () => Promise<CallResult>): Promise<CallResult> {
  const started = guarded(() => start(api, call, tracing));
  if (started === undefined) return await run();
  let running: Promise<CallResult> | undefined;
  const begin = (): Promise<CallResult> => (running ??= run());
  guarded(() => void api.context.with(started.active, begin));
  // Should the context manager have thrown before it came to the call, it is still to be made, and only then.
  const result = await begin();
  guarded(() => finish(api, started.span, result, tracing));
  return result;
}

/**
 * Runs a call in a span, a child of the caller's, where the application has registered an SDK of OpenTelemetry. Where
 * it has not, nothing is imported, and it costs the look at one property.
 */
export function traced(call: RequestedCall, tracing: Tracing, run: () => Promise<CallResult>): Promise<CallResult> {
  if (!isRegistered()) return run();
  return import('@opentelemetry/api').then(
    (api) => inSpan(api, call, tracing, run),
    // Left out by a bundler: the call itself needs none of it.
    () => run(),
  );
}
