// Node 22 has `Symbol.dispose`, but no disposable stacks. The bundles use these two if the runtime has none.

type Task<Result> = () => Result;

function combined(error: unknown, earlier: { readonly error: unknown } | undefined): { readonly error: unknown } {
  if (earlier === undefined) return { error };
  const both = new Error('An error was suppressed during disposal.');
  return { error: Object.assign(both, { name: 'SuppressedError', error, suppressed: earlier.error }) };
}

function methodOf(value: unknown, keys: readonly symbol[]): Task<unknown> | undefined {
  if (value === null || value === undefined) return undefined;
  for (const key of keys) {
    const method: unknown = Reflect.get(Object(value), key);
    if (typeof method === 'function') return () => Reflect.apply(method, value, []) as unknown;
  }
  throw new TypeError('Object is not disposable.');
}

/** Shared by both stacks: the tasks, which run only once. */
abstract class TaskStack {
  protected tasks: Array<Task<unknown>> = [];
  disposed = false;
  protected abstract readonly keys: readonly symbol[];

  protected add(task: Task<unknown>): void {
    if (this.disposed) throw new ReferenceError('Cannot add values to a disposed stack.');
    this.tasks.push(task);
  }

  use<Value>(value: Value): Value {
    const dispose = methodOf(value, this.keys);
    this.add(dispose ?? (() => undefined));
    return value;
  }

  adopt<Value>(value: Value, dispose: (value: Value) => unknown): Value {
    this.add(() => dispose(value));
    return value;
  }

  defer(dispose: Task<unknown>): void {
    this.add(dispose);
  }

  /** Moves all tasks to a new stack; this one counts as disposed, and does nothing. */
  protected handOver(target: TaskStack): void {
    if (this.disposed) throw new ReferenceError('Cannot move a disposed stack.');
    target.tasks = this.tasks;
    this.tasks = [];
    this.disposed = true;
  }

  protected takeAll(): Array<Task<unknown>> {
    const tasks = this.disposed ? [] : this.tasks;
    this.disposed = true;
    this.tasks = [];
    return tasks.toReversed();
  }
}

export class OlderDisposableStack extends TaskStack {
  protected readonly keys = [Symbol.dispose];
  readonly [Symbol.toStringTag] = 'DisposableStack';

  move(): OlderDisposableStack {
    const moved = new OlderDisposableStack();
    this.handOver(moved);
    return moved;
  }

  dispose(): void {
    let failed: { readonly error: unknown } | undefined;
    for (const task of this.takeAll()) {
      try {
        task();
      } catch (error) {
        failed = combined(error, failed);
      }
    }
    if (failed !== undefined) throw failed.error;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

export class OlderAsyncDisposableStack extends TaskStack {
  protected readonly keys = [Symbol.asyncDispose, Symbol.dispose];
  readonly [Symbol.toStringTag] = 'AsyncDisposableStack';

  move(): OlderAsyncDisposableStack {
    const moved = new OlderAsyncDisposableStack();
    this.handOver(moved);
    return moved;
  }

  async disposeAsync(): Promise<void> {
    let failed: { readonly error: unknown } | undefined;
    for (const task of this.takeAll()) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- resources close one by one in reverse order
        await task();
      } catch (error) {
        failed = combined(error, failed);
      }
    }
    if (failed !== undefined) throw failed.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disposeAsync();
  }
}
