import { expect, it } from 'vitest';
import { optionsProblem } from './options-problem.ts';

it.each([[{}], [{ dryRun: true, queueMs: 5, sessionId: 'x' }], [{ dryRun: undefined }]])('%j are options of a remote call', (options) => {
  expect(optionsProblem(options)).toBeUndefined();
});

it.each([
  // The machine would do what it was only to report.
  [{ dryrun: true }, 'A call has no option "dryrun".', 'Did you mean dryRun?'],
  [{ dry_run: true }, 'A call has no option "dry_run".', 'Did you mean dryRun?'],
  [{ dryRun: 'yes' }, 'The option dryRun of a call must be a boolean.', undefined],
  [{ constructor: 1 }, 'A call has no option "constructor".', expect.stringMatching(/^The options are: approvalTimeoutMs, /u)],
])('%j are not', (options, message, hint) => {
  expect(optionsProblem(options)).toMatchObject({ code: 'invalid_arguments', message, hint });
});
