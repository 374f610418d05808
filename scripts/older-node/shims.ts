// Replacements for globals that Node 22 lacks; the runtime's version is used if it exists.
import { OlderAsyncDisposableStack, OlderDisposableStack } from './disposable-stack.ts';
import { olderEscapePattern } from './escape-pattern.ts';

export const DisposableStack = globalThis.DisposableStack ?? OlderDisposableStack;
export const AsyncDisposableStack = globalThis.AsyncDisposableStack ?? OlderAsyncDisposableStack;
// Uses reflection: the bundler replaces `RegExp.escape` with this name.
const own: unknown = Reflect.get(RegExp, 'escape');
export const escapePattern = (text: string): string =>
  typeof own === 'function' ? String(Reflect.apply(own, RegExp, [text])) : olderEscapePattern(text);
