import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { compile } from './compile.ts';
import type { Asked, ProgramEnding, ThreadStart } from './messages.ts';
import { PRELUDE } from './prelude.ts';
import { PrintedText } from './printed-text.ts';
import { errorOf } from './program-error.ts';

/** Bytes of a page of WebAssembly, and of the memory that the interpreter needs to start. */
const PAGE_BYTES = 64 * 1024;
const INITIAL_BYTES = 16 * 1024 * 1024;
/** Bytes of stack: deep enough for usual recursion, and far less than the thread has. */
const STACK_BYTES = 512 * 1024;
/** Maximum number of calls of a program. */
const MAX_CALLS = 5_000;
/** Maximum number of characters of calls without an answer: outside, they are not in the memory that a program is given. */
const MAX_WAITING = 32_000_000;
/** Maximum number of characters that a program returns, as JSON. */
const MAX_RETURNED = 8_000_000;

/** The types of the package are those of its CommonJS form, which has it in `default`. */
const sync: QuickJSSyncVariant = 'default' in variant ? variant.default : variant;

/** What leaves the interpreter. */
export interface Outside {
  call(id: number, asked: Asked, name: string, json: string): void;
  print(text: string): void;
  end(ending: ProgramEnding): void;
}

/** A program in an interpreter of its own, which has nothing but {@link Outside}. */
export interface Program {
  /** Runs it: JavaScript or TypeScript. Once. */
  run(code: string): void;
  /** Gives it the answer to a call. */
  answer(id: number, json: string): void;
}

/** How a program ends with a value. @param toJson makes JSON of it, inside */
function endingWith(vm: QuickJSContext, toJson: QuickJSHandle, value: QuickJSHandle): ProgramEnding {
  const json = vm.callFunction(toJson, vm.undefined, value);
  if (json.error !== undefined) return { ok: false, error: errorOf(vm, json.error) };
  const text = vm.typeof(json.value) === 'string' ? vm.getString(json.value) : undefined;
  if (text === undefined || text.length <= MAX_RETURNED) return { ok: true, json: text };
  return { ok: false, error: { name: 'RangeError', message: `It returned more than ${MAX_RETURNED} characters.` } };
}

/** The text that a JSON text is. A text as such would end at its first NUL. */
const textOf = (vm: QuickJSContext, json: QuickJSHandle): string => String(JSON.parse(vm.getString(json)));

/**
 * Makes an interpreter for one program.
 *
 * @param module the interpreter, compiled; the rest is loaded meanwhile
 */
export async function openProgram({ memoryBytes }: ThreadStart, module: Promise<WebAssembly.Module>, outside: Outside): Promise<Program> {
  // Not the limit of the runtime: compiled to WebAssembly, it does not know the size of what it allocates.
  const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: memoryBytes / PAGE_BYTES });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(sync, { wasmModule: () => module, wasmMemory }));
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const vm = runtime.newContext();
  const waiting = new Map<number, { readonly deferred: QuickJSDeferredPromise; readonly characters: number }>();
  let calls = 0;
  let characters = 0;
  let promise: QuickJSHandle | undefined;
  let hasEnded = false;

  const printed = new PrintedText((text) => outside.print(text));
  // A program that computes on is ended from outside, and what it printed is then told.
  runtime.setInterruptHandler(() => {
    printed.flush();
    return false;
  });

  const end = (ending: ProgramEnding): void => {
    if (hasEnded) return;
    hasEnded = true;
    printed.flush();
    outside.end(ending);
  };
  const fail = (handle: QuickJSHandle): void => end({ ok: false, error: errorOf(vm, handle) });

  /** Runs what can run, and looks whether the program has ended: that is, when it and all of its calls have. */
  const turn = (): void => {
    const ran = runtime.executePendingJobs();
    printed.flush();
    if (ran.error !== undefined) return fail(ran.error);
    if (promise === undefined || waiting.size > 0) return;
    const state = vm.getPromiseState(promise);
    if (state.type === 'rejected') return fail(state.error);
    if (state.type === 'pending') return end({ ok: false, error: { name: 'Error', message: 'It waits for a promise that nothing settles.' } });
    end(endingWith(vm, toJson, state.value));
  };

  const call = vm.newFunction('call', (asked, name, json) => {
    if (calls >= MAX_CALLS) throw new RangeError(`A program makes at most ${MAX_CALLS} calls.`);
    const [tool, input] = [textOf(vm, name), vm.getString(json)];
    const size = tool.length + input.length;
    if (characters + size > MAX_WAITING) {
      throw new RangeError(`The inputs of calls that wait have more than ${MAX_WAITING} characters: await some of them before.`);
    }
    const id = (calls += 1);
    const deferred = vm.newPromise();
    waiting.set(id, { deferred, characters: size });
    characters += size;
    printed.flush();
    outside.call(id, vm.getString(asked) === 'help' ? 'help' : 'tool', tool, input);
    return deferred.handle;
  });
  const print = vm.newFunction('print', (json) => void (printed.isFull || printed.add(textOf(vm, json))));
  const prelude = vm.callFunction(vm.unwrapResult(vm.evalCode(PRELUDE, 'prelude.js')), vm.undefined, call, print);
  const toJson = vm.unwrapResult(prelude);
  return {
    run(code) {
      const compiled = compile(vm, code);
      if ('error' in compiled) return end({ ok: false, error: compiled.error });
      const started = vm.evalCode(compiled.source, compiled.file);
      if (started.error !== undefined) return fail(started.error);
      promise = started.value;
      turn();
    },
    answer(id, json) {
      const call = waiting.get(id);
      if (call === undefined || hasEnded) return;
      waiting.delete(id);
      characters -= call.characters;
      try {
        using text = vm.newString(json);
        call.deferred.resolve(text);
        turn();
      } catch (error) {
        // Such as one that does not fit into its memory.
        end({ ok: false, error: { name: 'Error', message: String(error) } });
      }
    },
  };
}
