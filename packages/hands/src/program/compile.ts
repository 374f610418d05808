import * as nodeModule from 'node:module';
import type { QuickJSContext } from 'quickjs-emscripten-core';
import { insteadOfImport } from './missing-name.ts';
import type { ProgramError } from './messages.ts';
import { errorOf, PROGRAM_FILE } from './program-error.ts';

/** A program that is one function, as some models write it. */
const IS_FUNCTION = /^\s*(?:async\s+function\b|async\s*\(|function\b|\(\s*\)\s*=>)/u;

/** A last line that only calls a function. */
const LAST_CALL = /(?<=^|[;}\n])([ \t]*)(?:void[ \t]+)?(?=([\p{L}_$][\p{L}\p{N}_$]*)\([^()\n]*\)[ \t]*;?\s*$)/u;

/**
 * Waits for an asynchronous function of the program that its last line calls: otherwise, what fails in it would be lost without a word. The code as
 * it is if it has none.
 */
function awaitingLast(code: string): string {
  const name = LAST_CALL.exec(code)?.[2]?.replaceAll('$', String.raw`\$`);
  const isAsync = name !== undefined && new RegExp(String.raw`\basync\s+function\s*${name}\b|\b${name}\s*=\s*async\b`, 'u').test(code);
  return isAsync ? code.replace(LAST_CALL, '$1return await ') : code;
}

/** Lines stay as they are, for the places of errors. */
const asBody = (code: string): string => `(async () => {${code}\n})()`;
const asFunction = (code: string): string => `(async () => await (${code.replace(/;\s*$/u, '')}\n)())()`;

/** A program in a fence of Markdown. Its first line stays as an empty one. */
const FENCED = /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n```\s*$/u;
/** The line of a script that names its interpreter. */
const HASHBANG = /^\uFEFF?#!.*/u;
const MAY_IMPORT = /^\s*(?:import\s*[{*\w'"]|export\b)/mu;

/** A program as an expression that runs it. */
export interface CompiledProgram {
  readonly source: string;
  /** Its name in stacks. Where lines were moved, it is not {@link PROGRAM_FILE}, so that no error names a line. */
  readonly file: string;
}

/** The source of a program; TypeScript is understood too. */
export function compile(vm: QuickJSContext, given: string): CompiledProgram | { readonly error: ProgramError } {
  const code = given.replace(FENCED, '\n$1').replace(HASHBANG, '');
  const isFunction = IS_FUNCTION.test(code);
  const forms = [...(isFunction ? [asFunction(code)] : []), ...new Set([asBody(awaitingLast(code)), asBody(code)])];
  const problems: ProgramError[] = [];
  for (const source of forms) {
    const problem = check(vm, source);
    if (problem === undefined) return { source, file: PROGRAM_FILE };
    problems.push(problem);
  }
  let typed: ProgramError | undefined;
  for (const form of forms) {
    const compiled = withoutTypes(form);
    const problem = 'source' in compiled ? check(vm, compiled.source) : asTypeScript(isFunction ? problems[0] : problems.at(-1), compiled.why);
    if ('source' in compiled && problem === undefined) return compiled;
    typed ??= problem;
  }
  const { line, ...error } = typed ?? { name: 'SyntaxError', message: 'The program cannot be read.' };
  // What is missing at the end is missing after it.
  const within = line === undefined ? {} : { line: Math.min(line, code.split('\n').length) };
  if (!MAY_IMPORT.test(code)) return { error: { ...error, ...within } };
  const instead = insteadOfImport(code) ?? 'It has hands, console and the language.';
  const message = `${error.message}. A program imports and exports nothing. ${instead}`;
  return { error: { ...error, message, ...within } };
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

/** A program that is neither: what is wrong as JavaScript may only be a type. */
function asTypeScript(problem: ProgramError | undefined, why: string): ProgramError {
  const { name = 'SyntaxError', message, line } = problem ?? {};
  return { name, message: `${message === undefined ? '' : `${message}; `}as TypeScript: ${why}`, ...(line === undefined ? {} : { line }) };
}

/** What Node says of a text, without the mark in front that some versions have. */
const saysOf = (error: unknown): string => (error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '').replace(/^\s*x\s+/u, '');

/**
 * The same without types, or with what enums and namespaces stand for, where Node can: 26 does not know that mode. Else why it cannot be read as
 * TypeScript.
 */
function withoutTypes(source: string): CompiledProgram | { readonly why: string } {
  let why = 'it cannot be read';
  for (const [mode, file] of [
    ['strip', PROGRAM_FILE],
    ['transform', 'moved.js'],
  ] as const) {
    try {
      return { source: nodeModule.stripTypeScriptTypes(source, { mode }), file };
    } catch (error) {
      const isUnknownMode = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_ARG_VALUE';
      if (!isUnknownMode) why = saysOf(error) || why;
    }
  }
  return { why };
}
