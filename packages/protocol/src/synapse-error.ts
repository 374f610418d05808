import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** Shared by all copies of this package in a process, so that they recognize each other's errors. */
const BRAND = Symbol.for('synapse.error');
/** The errors of this copy of the package; excludes proxies of them. */
const MADE_HERE = new WeakSet<object>();

/** What may accompany an error besides its message. */
export interface SynapseErrorOptions {
  /** One sentence: what to do next, with the valid choices. */
  hint?: string;
  /** Typed facts for programs; never a secret, a stack or a path outside the workspace. */
  details?: Record<string, unknown>;
  /** Overrides the default of the code. */
  retryable?: boolean;
  /** The underlying failure, for logs; never shown to the model. */
  cause?: unknown;
}

/**
 * A failure with a code from the closed table. Thrown by tools; the pipeline converts it to a result.
 *
 * @example
 * throw new SynapseError('not_found', 'No file at src/app.ts.', { hint: 'Use find_files to locate it.' });
 */
export class SynapseError extends Error {
  override readonly name = 'SynapseError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: SynapseErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    Object.defineProperty(this, BRAND, { value: true });
    MADE_HERE.add(this);
  }
}

/** Whether a thrown value is a Synapse error, including one of another copy of this package. Never throws. */
export function isSynapseError(value: unknown): value is SynapseError {
  try {
    // Own property only: an inherited brand does not count.
    return value instanceof Error && Object.hasOwn(value, BRAND);
  } catch {
    // A proxy that throws or was revoked.
    return false;
  }
}

const FIELDS = ['code', 'message', 'hint', 'details', 'retryable', 'cause'] as const;

/** Reads a Synapse error once: a thrown value may be a proxy, or have getters that throw or return changing values. */
function readOnce(error: SynapseError): SynapseError | undefined {
  try {
    const isPlain = FIELDS.every((field) => {
      const property = Object.getOwnPropertyDescriptor(error, field);
      return property === undefined || 'value' in property;
    });
    const { code, message, hint, details, retryable, cause } = error;
    if (!Object.hasOwn(ERROR_CODES, code) || typeof message !== 'string') return undefined;
    if (isPlain && MADE_HERE.has(error)) return error;
    return new SynapseError(code, message, {
      ...(typeof hint === 'string' ? { hint } : {}),
      ...(typeof details === 'object' && details !== null ? { details: { ...details } } : {}),
      ...(typeof retryable === 'boolean' ? { retryable } : {}),
      cause,
    });
  } catch {
    return undefined;
  }
}

/**
 * Converts an unknown failure to one with a code; the only place that does. The thrown value stays in `cause` for
 * the log. Its text is not repeated, as it may contain a path or a secret. Never throws.
 */
export function toSynapseError(value: unknown): SynapseError {
  const known = isSynapseError(value) ? readOnce(value) : undefined;
  if (known !== undefined) return known;
  return new SynapseError('internal', 'The tool failed in a way it should not.', {
    hint: 'This is a defect of the tool, or of Synapse: the call may be tried differently, and the audit log has what was thrown.',
    cause: value,
  });
}
