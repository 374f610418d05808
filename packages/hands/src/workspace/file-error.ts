import { SynapseError, isSynapseError, type ErrorCode } from '@synapse/protocol';

interface Meaning {
  readonly code: ErrorCode;
  readonly message: (path: string) => string;
  readonly hint?: string;
  readonly retryable?: boolean;
}

const FIND_HINT = 'Use list_directory or find_files to see what is there.';

/** Errors for the kernel's errno values. The raw text is not shown, because it contains paths. */
const ERRNO: Readonly<Record<string, Meaning>> = {
  ENOENT: { code: 'not_found', message: (path) => `File not found: ${path}`, hint: FIND_HINT },
  ENOTDIR: { code: 'not_found', message: (path) => `File not found: ${path} (part of the path is not a folder)`, hint: FIND_HINT },
  EISDIR: { code: 'wrong_type', message: (path) => `${path} is a folder.` },
  EEXIST: { code: 'already_exists', message: (path) => `${path} exists already.` },
  ENOTEMPTY: {
    code: 'conflict',
    message: (path) => `The folder ${path} is not empty.`,
    hint: 'Pass "recursive": true to delete it with everything in it.',
  },
  EACCES: { code: 'denied', message: (path) => `The operating system does not permit access to ${path}.` },
  EPERM: {
    code: 'denied',
    message: (path) => `The operating system does not permit this on ${path}.`,
    hint: 'It may be immutable, which lsattr shows and a person takes away with chattr, or belong to another user.',
  },
  EROFS: { code: 'denied', message: (path) => `${path} is on a read-only file system.` },
  ELOOP: { code: 'outside_workspace', message: (path) => `${path} leads through too many links.` },
  ENAMETOOLONG: { code: 'invalid_arguments', message: () => 'The path or a name in it is too long.' },
  ENOSPC: { code: 'unavailable', message: (path) => `The disk is full; ${path} is unchanged.`, hint: 'Free some space, then repeat the call.' },
  EDQUOT: { code: 'unavailable', message: (path) => `The disk quota is used up; ${path} is unchanged.` },
  EXDEV: { code: 'tool_failed', message: (path) => `${path} is on another file system, so it cannot be moved in one step.` },
  EMFILE: { code: 'busy', message: () => 'Too many files are open at the moment.', hint: 'Repeat the call in a moment.' },
  ENFILE: { code: 'busy', message: () => 'Too many files are open at the moment.', hint: 'Repeat the call in a moment.' },
  EBUSY: { code: 'busy', message: (path) => `${path} is in use.`, hint: 'Repeat the call in a moment.' },
  // Files are opened without waiting.
  EAGAIN: {
    code: 'busy',
    message: (path) => `Another program, such as a file server, has a lease on ${path}, and was asked to give it up.`,
    hint: 'Repeat the call in a moment.',
  },
  EIO: { code: 'unavailable', message: (path) => `The disk or file system of ${path} reported an error.` },
  ETXTBSY: { code: 'busy', message: (path) => `${path} is a program that is running.` },
  ESTALE: { code: 'busy', message: (path) => `${path} changed while it was read.`, hint: 'Repeat the call.' },
  ENXIO: { code: 'wrong_type', message: (path) => `${path} is a device, a pipe or a socket, not a file.` },
};

/** Whether a thrown value says that the disk, or the user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
}

/** Why the system did not let changes be applied, as a sentence; undefined if it was not the system. The raw text is not shown, because it contains paths. */
export function systemRefusal(error: unknown): string | undefined {
  const errno = errnoOf(error);
  if (isDiskFull(error)) return 'The disk is full: free some space, then apply it.';
  if (errno === 'EROFS') return 'The workspace is on a read-only file system.';
  return errno === undefined ? undefined : `The system refused it (${errno}).`;
}

/** Why something that may be lost, such as a cache, could not be kept. The raw text is not shown, because it contains paths. */
export function whyNotKept(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  if (isDiskFull(error)) return 'the disk is full';
  const errno = errnoOf(error);
  return errno === undefined || !/^E[A-Z0-9]+$/u.test(errno) ? 'it could not be moved' : `the system refused it: ${errno}`;
}

/** Returns the errno name of a thrown value, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Converts a file system failure to a coded error with the path as the model knows it. */
export function fileError(error: unknown, path: string): SynapseError {
  if (isSynapseError(error)) return error;
  const meaning = ERRNO[errnoOf(error) ?? ''];
  if (meaning === undefined) return new SynapseError('tool_failed', `${path} could not be used.`, { cause: error });
  return new SynapseError(meaning.code, meaning.message(path), {
    cause: error,
    ...(meaning.hint === undefined ? {} : { hint: meaning.hint }),
  });
}
