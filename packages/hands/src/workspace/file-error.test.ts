import { expect, it } from 'vitest';
import { fileError } from './file-error.ts';

it('says what to look at where the system does not permit a change that the permissions allow', () => {
  const error = fileError(Object.assign(new Error('rename'), { code: 'EPERM' }), 'd/z');
  expect(error).toMatchObject({ code: 'denied', message: 'The operating system does not permit this on d/z.' });
  expect(error.hint).toContain('lsattr');
});
