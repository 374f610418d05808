import { spawn, type ChildProcess } from 'node:child_process';
import { PROGRAMS } from '../launch/programs.ts';
import { closedStdio } from '../process/hardening.ts';
import { systemProgram } from '../launch/system-program.ts';
import { ATTRIBUTE_CALLS } from '../launch/attribute-calls.ts';

/** Milliseconds until an unused worker ends. */
const IDLE_MS = 60_000;
/** The line that a worker prints when a list of orders is done. */
const DONE = 'done';

interface Work {
  readonly orders: Buffer;
  readonly signal: AbortSignal;
  readonly resolve: (replies: readonly string[] | undefined) => void;
}

/**
 * A perl process for what Node has no API for: extended attributes, and times to the nanosecond.
 * Started on first use and kept: every command that changes a file needs it, and starting it takes longer than
 * most of its work. It ends with this process, because it reads from its pipe.
 */
export class AttributeWorker implements Disposable {
  #child: ChildProcess | undefined;
  #current: Work | undefined;
  readonly #queue: Work[] = [];
  #replies: string[] = [];
  #rest = '';
  #idle: NodeJS.Timeout | undefined;

  /** Starts the process in advance. */
  start(): void {
    if (this.#child !== undefined) return;
    const [perl, calls] = [systemProgram('perl'), ATTRIBUTE_CALLS[process.arch]];
    if (perl === undefined || calls === undefined) return;
    const child = spawn(perl, ['-e', PROGRAMS['attributes.pl'], ...calls.map(String)], {
      cwd: '/',
      env: {},
      stdio: closedStdio(['pipe', 'pipe', 'ignore']),
    });
    this.#child = child;
    // An `error` event can come before the process ends, or instead of that.
    child.once('error', () => this.#ended(child));
    child.once('close', () => this.#ended(child));
    child.stdin?.on('error', () => {});
    child.stdout?.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    this.#keepAlive(child, false);
  }

  /**
   * Runs orders. When this settles, they are done, or no more of them will run.
   *
   * @returns the replies; undefined if there is no such process, or if it was killed
   */
  async run(orders: Buffer, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
    this.#queue.push({ orders, signal, resolve });
    this.#next();
    return await promise;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const work = this.#queue.shift();
    if (work === undefined) return this.#rests();
    if (work.signal.aborted) {
      work.resolve(undefined);
      return this.#next();
    }
    clearTimeout(this.#idle);
    this.start();
    const child = this.#child;
    if (child === undefined) {
      work.resolve(undefined);
      return this.#next();
    }
    this.#current = work;
    this.#replies = [];
    // An aborted list settles only after the process has ended: until then it may use the folders that the orders name.
    work.signal.addEventListener('abort', this.#end);
    this.#keepAlive(child, true);
    child.stdin?.write(Buffer.concat([work.orders, END]));
  }

  readonly #end = (): void => void this.#child?.kill('SIGKILL');

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === DONE) this.#settle(this.#replies);
      else this.#replies.push(line);
    }
  }

  #settle(replies: readonly string[] | undefined): void {
    const work = this.#current;
    this.#current = undefined;
    work?.signal.removeEventListener('abort', this.#end);
    work?.resolve(replies);
    this.#next();
  }

  #ended(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#rest = '';
    if (this.#current !== undefined) this.#settle(undefined);
  }

  #rests(): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#keepAlive(child, false);
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => child.stdin?.end(), IDLE_MS).unref();
  }

  /** Sets whether the worker keeps this process alive. */
  #keepAlive(child: ChildProcess, keeps: boolean): void {
    for (const one of [child, child.stdin, child.stdout]) {
      if (one === null || !('ref' in one) || typeof one.ref !== 'function' || typeof one.unref !== 'function') continue;
      if (keeps) one.ref();
      else one.unref();
    }
  }
}

const END = Buffer.from('end\0');
