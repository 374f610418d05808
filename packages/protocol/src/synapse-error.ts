import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** Two copies of this package in one process must agree on what a Synapse error is. */
const BRAND = Symbol.for('synapse.error');

/** What may accompany an error beside its message. */
export interface SynapseErrorOptions {
  /** One sentence: what to do next, with the valid choices. */
  hint?: string;
  /** Typed facts for programs; never a secret, a stack or a path outside the workspace. */
  details?: Record<string, unknown>;
  /** Overrides the code's own answer. */
  retryable?: boolean;
  /** The underlying failure, for logs; it is never shown to the model. */
  cause?: unknown;
}

/**
 * A failure with a code from the closed table. Tools throw it; the pipeline turns it into a result.
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
  }
}

/** Whether a thrown value is a Synapse error, also one of another copy of this package. */
export function isSynapseError(value: unknown): value is SynapseError {
  // Own property only: a brand inherited through a prototype chain is never honoured.
  return value instanceof Error && Object.hasOwn(value, BRAND);
}

/**
 * The one place where an unknown failure becomes a coded one. What was thrown stays in `cause` for
 * the log; its text is not repeated, since it may hold a path or a secret.
 */
export function toSynapseError(value: unknown): SynapseError {
  if (isSynapseError(value)) return value;
  return new SynapseError('internal', 'The tool failed in a way it should not.', {
    hint: 'This is a defect of the tool, or of Synapse: the call may be tried differently, and the audit log has what was thrown.',
    cause: value,
  });
}
