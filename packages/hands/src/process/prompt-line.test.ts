import { describe, expect, it } from 'vitest';
import { endsWithPrompt } from './prompt-line.ts';

describe('endsWithPrompt', () => {
  it.each([
    'Password: ',
    '[sudo] password for ada: ',
    "Enter passphrase for key '/home/ada/.ssh/id': ",
    'Do you want to continue? [Y/n] ',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
    'log\npackage name: (demo) ',
    'overwrite build? ',
    'Press any key to continue...',
    "Username for 'https://example.org': ",
    '>>> ',
    'mysql> ',
  ])('takes %j for a question', (output) => {
    expect(endsWithPrompt(output)).toBe(true);
  });

  it.each(['', '\n', 'Password: \n', 'listening on port 3000', 'compiling a.ts\n', '10 tests passed', `${'x'.repeat(400)}: `])(
    'takes %j for none',
    (output) => {
      expect(endsWithPrompt(output)).toBe(false);
    },
  );
});
