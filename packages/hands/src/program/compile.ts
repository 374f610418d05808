import * as nodeModule from 'node:module';
import type { QuickJSContext } from 'quickjs-emscripten-core';
import type { ProgramError } from './messages.ts';
import { errorOf, PROGRAM_FILE } from './program-error.ts';

/** A program that is one function, as some models write it. */
const IS_FUNCTION = /^\s*(?:async\s+function\b|async\s*\(|function\b|\(\s*\)\s*=>)/u;

/** Lines stay as they are, for the places of errors. */
const asBody = (code: string): string => `(async () => {${code}\n})()`;
const asFunction = (code: string): string => `(async () => await (${code.replace(/;\s*$/u, '')}\n)())()`;

const MAY_IMPORT = /^\s*(?:import\s*[{*\w'"]|export\b)/mu;

/** The source of a program as an expression that runs it; TypeScript is understood too. */
export function compile(vm: QuickJSContext, code: string): { readonly source: string } | { readonly error: ProgramError } {
  const forms = IS_FUNCTION.test(code) ? [asFunction(code), asBody(code)] : [asBody(code)];
  let first: ProgramError | undefined;
  for (const source of forms) {
    const problem = check(vm, source);
    if (problem === undefined) return { source };
    first ??= problem;
  }
  for (const form of forms) {
    const source = withoutTypes(form);
    if (source !== undefined && check(vm, source) === undefined) return { source };
  }
  const error = first ?? { name: 'SyntaxError', message: 'The program cannot be read.' };
  if (!MAY_IMPORT.test(code)) return { error };
  return { error: { ...error, message: `${error.message}. A program imports and exports nothing: it has hands, console and the language.` } };
}

function check(vm: QuickJSContext, source: string): ProgramError | undefined {
  const result = vm.evalCode(source, PROGRAM_FILE, { compileOnly: true });
  if (result.error === undefined) {
    result.value.dispose();
    return undefined;
  }
  using error = result.error;
  return errorOf(vm, error);
}

/** The same without types; undefined if it cannot be read as TypeScript. */
function withoutTypes(source: string): string | undefined {
  try {
    return nodeModule.stripTypeScriptTypes(source);
  } catch {
    return undefined;
  }
}
