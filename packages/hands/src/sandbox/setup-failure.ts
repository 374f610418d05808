import { SynapseError } from '@synapse/protocol';
import type { OutputStream, ProcessOutcome, ProcessRequest } from '../process/processes.ts';
import { startError } from '../process/start-error.ts';

/** Bytes of stderr to check: messages of bubblewrap, and of the shell that starts the command, are short. */
const MESSAGE_BYTES = 1_000;
const NOT_FOUND = /^\S*sh: (?:line )?\d+: exec: (?<program>.*): not found\n?$/u;
// Without a shell in between, the program that confines reports it.
const NOT_STARTED =
  /^(?:bwrap|synapse-landlock|synapse-launcher): execvp (?<program>.*): (?:(?<missing>No such file or directory)|Permission denied|Exec format error)\n?$/u;
/** How the programs that confine begin their messages. */
const CONFINING = /^(?:bwrap|synapse-landlock|synapse-launcher): /u;
/** With which exit codes they end: 1, or those of a shell. */
const CONFINING_CODES: ReadonlySet<number> = new Set([1, 126, 127]);
const NOT_PERMITTED = /^\S*sh: (?:line )?\d+: exec: (?<program>.*): Permission denied\n?$/u;

/** What the shell says, and with which exit code it ends, if it cannot start a program, and the error for that. */
const NOT_RUN = [
  [127, NOT_FOUND, 'missing', 'ENOENT'],
  [126, NOT_PERMITTED, 'refused', 'EACCES'],
] as const;

const startFailure = (what: string, code: string, groups: Readonly<Record<string, string>> | undefined): Error =>
  startError(Object.assign(new Error(what), { code }), groups?.['program'] ?? '');

/** Collects the beginning and the end of a command's output. */
export class SaidEnds {
  readonly #bytes: number;
  #head = '';
  #tail = '';

  constructor(bytes = 8 * 1024) {
    this.#bytes = bytes;
  }

  add(chunk: Buffer): void {
    if (this.#head.length < this.#bytes) this.#head += chunk.toString('latin1', 0, this.#bytes - this.#head.length);
    const end = chunk.toString('latin1', Math.max(0, chunk.length - this.#bytes));
    this.#tail = (this.#tail + end).slice(-this.#bytes);
  }

  get text(): string {
    return `${this.#head}\n${this.#tail}`;
  }
}

/**
 * Distinguishes a sandbox that could not be set up from a command that failed: both end with a plain exit code. A command that
 * imitates the message only makes its own failure look like a different one.
 */
export class SetupFailure {
  #message = '';
  #spoke = false;

  /** Reads output while it is passed on. */
  readonly watch =
    (take: ProcessRequest['onOutput']): ProcessRequest['onOutput'] =>
    (stream: OutputStream, chunk: Buffer) => {
      if (stream === 'stdout') this.#spoke = true;
      else if (this.#message.length < MESSAGE_BYTES) this.#message += chunk.toString('utf8', 0, MESSAGE_BYTES);
      take(stream, chunk);
    };

  /** Throws what the program that confines says of itself. */
  #assertSetUp(): void {
    const failed = NOT_STARTED.exec(this.#message)?.groups;
    if (failed !== undefined) throw startFailure('failed', failed['missing'] === undefined ? 'EACCES' : 'ENOENT', failed);
    if (!CONFINING.test(this.#message)) return;
    throw new SynapseError('unavailable', 'The sandbox could not be set up, so the command was not run.', {
      hint: 'Run synapse doctor to see what is missing.',
      // Only for the log, because it contains paths of this machine.
      cause: new Error(this.#message.trim()),
    });
  }

  /** Throws if the outcome is not that of the command. */
  assertStarted({ exitCode }: ProcessOutcome): void {
    if (this.#spoke || exitCode === null || exitCode === 0) return;
    if (CONFINING_CODES.has(exitCode)) this.#assertSetUp();
    for (const [code, sign, what, errno] of NOT_RUN) {
      const found = exitCode === code ? sign.exec(this.#message) : null;
      if (found !== null) throw startFailure(what, errno, found.groups);
    }
  }
}
