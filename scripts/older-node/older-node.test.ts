import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OlderAsyncDisposableStack, OlderDisposableStack } from './disposable-stack.ts';
import { olderEscapePattern } from './escape-pattern.ts';

/** Runs the same steps on a stack of the runtime and on ours, and returns what each told. */
function bothTell(steps: (stack: DisposableStack, said: string[]) => void): [string[], string[]] {
  const tell = (stack: DisposableStack): string[] => {
    const said: string[] = [];
    try {
      steps(stack, said);
    } catch (error) {
      said.push(error instanceof Error ? error.name : String(error));
    }
    return said;
  };
  return [tell(new OlderDisposableStack()), tell(new DisposableStack())];
}

describe.runIf(typeof DisposableStack === 'function')('the stacks for Node 22', () => {
  it.each<[string, (stack: DisposableStack, said: string[]) => void]>([
    [
      'dispose in reverse order, once',
      (stack, said) => (stack.defer(() => said.push('a')), stack.defer(() => said.push('b')), stack.dispose(), stack.dispose()),
    ],
    ['take what can be disposed', (stack, said) => (stack.use({ [Symbol.dispose]: () => said.push('used') }), stack.use(null), stack.dispose())],
    ['refuse what cannot be disposed', (stack) => stack.use({} as Disposable)],
    ['adopt a value', (stack, said) => (stack.adopt(3, (value) => said.push(String(value))), stack.dispose())],
    [
      'move',
      (stack, said) => {
        stack.defer(() => said.push('moved'));
        const moved = stack.move();
        stack.dispose();
        said.push(`${stack.disposed} ${moved.disposed}`);
        moved.dispose();
      },
    ],
    ['refuse more after disposal', (stack) => (stack.dispose(), stack.defer(() => undefined))],
    [
      'go on after an error, and tell both',
      (stack, said) => {
        for (const name of ['a', 'b'])
          stack.defer(() => {
            said.push(name);
            throw new Error(name);
          });
        stack.dispose();
      },
    ],
  ])('%s', (_, steps) => {
    const [ours, native] = bothTell(steps);
    expect(ours).toEqual(native);
  });

  it('wait for each, the last first', async () => {
    const said: string[] = [];
    const stack = new OlderAsyncDisposableStack();
    stack.defer(async () => void said.push('a'));
    stack.use({ [Symbol.asyncDispose]: async () => void said.push('b') });
    stack.use({ [Symbol.dispose]: () => void said.push('c') });
    await stack.disposeAsync();
    expect(said).toEqual(['c', 'b', 'a']);
  });
});

it('an escaped text matches exactly itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      const text = given.toWellFormed();
      if (typeof RegExp.escape === 'function') expect(olderEscapePattern(text)).toBe(RegExp.escape(text));
      expect(new RegExp(`^(?:${olderEscapePattern(text)})$`, 'u').exec(text)?.[0]).toBe(text);
    }),
  );
});
