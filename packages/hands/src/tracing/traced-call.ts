import type * as OpenTelemetry from '@opentelemetry/api';
import type { Context, Span } from '@opentelemetry/api';
import { errorText, type CallResult } from '@synapse/protocol';
import type { RequestedCall } from '../call/call.ts';
import { describeArguments } from '../audit/describe-arguments.ts';
import type { Redact } from '../audit/redact.ts';
import { displayText } from '../workspace/byte-name.ts';

/**
 * Attribute names of OpenTelemetry's conventions for generative AI (execute-tool span). The conventions are still in
 * development and change, so the names are defined only here. `synapse.*` names are not part of them.
 */
const ATTRIBUTE = {
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  type: 'gen_ai.tool.type',
  callId: 'gen_ai.tool.call.id',
  session: 'gen_ai.conversation.id',
  /** Only with `recordContent`. */
  arguments: 'gen_ai.tool.call.arguments',
  /** Only with `recordContent`. */
  result: 'gen_ai.tool.call.result',
  error: 'error.type',
  completion: 'synapse.completion',
  sandbox: 'synapse.sandbox',
} as const;

/** The value of {@link ATTRIBUTE.operation}, and the prefix of span names. */
const OPERATION = 'execute_tool';

/** What to record in traces. */
export interface TracingOptions {
  /** Whether spans contain arguments and results, with secrets of known formats redacted. Default: no. */
  readonly recordContent?: boolean;
}

/** The dependencies of {@link traced}. */
export interface Tracing extends TracingOptions {
  /** Redacts secrets in recorded content. */
  readonly redact: Redact;
}

type Api = typeof OpenTelemetry;

/** Maximum length of recorded content in characters. Backends cut or reject longer attributes. */
const MAX_CONTENT = 64 * 1024;
/** Characters redacted beyond the kept part, so that a secret that begins in it is complete. A 4,096-bit private key has 3,300. */
const LOOK_AHEAD = 4_096;

/** Runs third-party tracing code. Its errors are reported as warnings, and the call continues. */
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
    // The error message may quote content of the call, so only the code is recorded.
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
  // Starts the call if the context manager threw before it did. Never starts it twice.
  const result = await begin();
  guarded(() => finish(api, started.span, result, tracing));
  return result;
}

/** Runs a call in a span, a child of the caller's. */
export function traced(call: RequestedCall, tracing: Tracing, run: () => Promise<CallResult>): Promise<CallResult> {
  return import('@opentelemetry/api').then(
    (api) => inSpan(api, call, tracing, run),
    // It comes with the application: without it, or if a bundler left it out, the call is not traced.
    () => run(),
  );
}
