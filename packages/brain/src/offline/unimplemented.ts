import { codeLines } from '../resurrect/history/code-lines.ts';
import { extension } from '../resurrect/structure/languages.ts';

/** Code that fails because it is not written yet, in various languages. */
const UNIMPLEMENTED =
  /\bnot[ _-]?(?:yet[ _-]?)?implemented\b|\bNotImplemented(?:Error|Exception)\b|\b(?:todo|unimplemented)!\s*[([{]|^\s*TODO\(|\b(?:panic|fatalError|throw|raise|abort|die)\b.*["'`](?:todo|unimplemented)\b/iu;
/** Scala's `???`. */
const MISSING = /(?:=|^)\s*\?\?\?\s*$/u;

/** Whether a line of code says that something is not implemented. */
export function isUnimplemented(line: string, path: string): boolean {
  const code = codeLines(line, path)?.code[0] ?? line;
  return UNIMPLEMENTED.test(code) || (extension(path) === 'scala' && MISSING.test(code));
}

/** Languages in which the statements of a file run when it is loaded. */
const RUN_ON_LOAD: ReadonlySet<string> = new Set(['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'py', 'rb', 'php', 'lua']);
/** A statement at the start of a line, outside of any block. */
const STOPS = /^(?:throw|raise|abort|die|exit|error)\b(?!\s*[=:.,])|^(?:process|sys|os)\.(?:exit|abort|_exit)\(/u;

/** Whether a line stops the program when its file is loaded. */
export function stopsOnLoad(line: string, path: string): boolean {
  return RUN_ON_LOAD.has(extension(path)) && STOPS.test(codeLines(line, path)?.code[0] ?? line);
}
