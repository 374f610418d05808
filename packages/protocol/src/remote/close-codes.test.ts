import { expect, it } from 'vitest';
import { ERROR_CODES } from '../error-codes.ts';
import { CLOSE_CODES, closeMeaning } from './close-codes.ts';

it('where a connection ends for good, the exit code tells what kind of end it is', () => {
  const fatal = Object.entries(CLOSE_CODES).filter(([, { next }]) => next === 'fatal');
  expect(Object.fromEntries(fatal.map(([name, { error }]) => [name, ERROR_CODES[error].exitCode]))).toEqual({
    unauthorized: 3,
    out_of_scope: 3,
    gone: 5,
    origin: 3,
    replaced: 1,
    version: 1,
  });
});

it('an unknown code is a broken connection', () => {
  expect(closeMeaning(4999)).toMatchObject({ next: 'retry', error: 'unavailable' });
});
