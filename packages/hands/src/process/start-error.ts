import { SynapseError, isSynapseError, type ErrorCode } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';

interface Meaning {
  readonly code: ErrorCode;
  readonly message: (program: string) => string;
  readonly hint: string;
}

const BUSY_HINT = 'Repeat the call in a moment; it helps to run fewer at once.';

/** Errors for failures to start a process. The raw text is not shown, because it contains paths. */
const ERRNO: Readonly<Record<string, Meaning>> = {
  ENOENT: {
    code: 'unavailable',
    message: (program) => `The program ${program} is not installed here.`,
    hint: 'Install it, or see that PATH names its folder.',
  },
  ENOTDIR: { code: 'not_found', message: () => 'The working directory is not a folder.', hint: 'Name a folder as cwd.' },
  EACCES: {
    code: 'denied',
    message: (program) => `The operating system does not permit to run ${program} there.`,
    hint: 'Check that the program may be executed and the folder entered.',
  },
  EPERM: { code: 'denied', message: (program) => `The operating system does not permit to run ${program}.`, hint: 'Another program may do.' },
  E2BIG: {
    code: 'too_large',
    message: () => 'The command line with its environment is longer than the operating system takes.',
    hint: 'Write the text to a file, and name the file in the command.',
  },
  ENOEXEC: { code: 'tool_failed', message: (program) => `${program} is no program for this machine.`, hint: 'Rebuild or reinstall it.' },
  EAGAIN: { code: 'busy', message: () => 'The machine cannot start another process at the moment.', hint: BUSY_HINT },
  ENOMEM: { code: 'busy', message: () => 'The machine has too little memory for another process.', hint: BUSY_HINT },
  EMFILE: { code: 'busy', message: () => 'Too many files are open at the moment.', hint: BUSY_HINT },
  ENFILE: { code: 'busy', message: () => 'Too many files are open at the moment.', hint: BUSY_HINT },
};

/** Converts a failure to start a program to a coded error. */
export function startError(error: unknown, program: string): SynapseError {
  if (isSynapseError(error)) return error;
  const meaning = ERRNO[errnoOf(error) ?? ''];
  if (meaning === undefined) return new SynapseError('tool_failed', `${program} could not be started.`, { cause: error });
  return new SynapseError(meaning.code, meaning.message(program), { hint: meaning.hint, cause: error });
}
