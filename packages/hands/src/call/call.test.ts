import { expect, it } from 'vitest';
import { optionsProblem } from './call.ts';

it.each([
  [{}],
  [{ dryRun: true, timeoutMs: 5, signal: AbortSignal.abort(), asksFirst: 'all', mayCall: ['read_file'] }],
  [{ timeoutMs: Number.POSITIVE_INFINITY, dryRun: undefined }],
])('%j are options of a call', (options) => {
  expect(optionsProblem(options)).toBeUndefined();
});

it.each([
  [null, 'The options of a call are an object, not null.', undefined],
  [5, 'The options of a call are an object, not a number.', undefined],
  // Without the refusal, the call would not be a dry run.
  [{ dryrun: true }, 'A call has no option "dryrun".', 'Did you mean dryRun?'],
  [{ dryRun: 'yes' }, 'The option dryRun of a call must be a boolean.', undefined],
  [{ __proto__: null, constructor: 1 }, 'A call has no option "constructor".', expect.stringMatching(/^The options are: signal, /u)],
  [{ timeoutMs: Number.NaN }, 'The option timeoutMs of a call must be a number.', undefined],
  [{ timeoutMs: -1 }, 'The option timeoutMs of a call must be a number.', undefined],
  [{ signal: new AbortController() }, 'The option signal of a call must be an AbortSignal.', undefined],
  [{ approver: null }, 'The option approver of a call must be an object.', undefined],
  [{ dryRunFor: 'me' }, 'The option dryRunFor of a call must be "person" or "agent".', undefined],
])('%j are not', (options, message, hint) => {
  expect(optionsProblem(options)).toMatchObject({ code: 'invalid_arguments', message, hint });
});
