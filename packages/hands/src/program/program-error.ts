import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import type { ProgramError } from './messages.ts';

/** The name of the program in stacks. */
export const PROGRAM_FILE = 'program.js';
const LINE = /\bprogram\.js:(\d+)/u;
/** Maximum number of characters of an error. */
const MAX_ERROR = 4_000;

/** Describes a thrown value. */
export function errorOf(vm: QuickJSContext, thrown: QuickJSHandle): ProgramError {
  const dumped: unknown = vm.dump(thrown);
  if (typeof dumped !== 'object' || dumped === null) return { name: 'Error', message: String(dumped).slice(0, MAX_ERROR) };
  const field = (name: string): string | undefined => {
    const value: unknown = Reflect.get(dumped, name);
    return typeof value === 'string' ? value : undefined;
  };
  const line = LINE.exec(field('stack') ?? '')?.[1];
  return {
    name: (field('name') ?? 'Error').slice(0, 100),
    message: (field('message') ?? JSON.stringify(dumped)).slice(0, MAX_ERROR),
    ...(line === undefined ? {} : { line: Number(line) }),
  };
}
