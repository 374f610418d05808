import type { CodeSymbol } from '../syntax/read-symbols.ts';
import type { NameUse } from '../syntax/read-uses.ts';

/** What is after the name of what is called, with arguments for types. */
const CALLED = /^\s*(?:\(|<[^;=]*>\s*\()/u;
/** What is before the name of a function that is declared in another one, which is no symbol. */
const DECLARED = /\b(?:function\s*\*?|def|func|fn)\s*$/u;
/** Characters of a line beside a name that are looked at. */
const MAX_BESIDE = 1_000;

/** Whether a use of a name is a call, as far as the syntax tells. */
export function isCall(name: string, { line, column }: NameUse, text: string, symbols: readonly CodeSymbol[]): boolean {
  if (symbols.some(({ nameLine, nameColumn }) => nameLine === line && nameColumn === column)) return false;
  const end = column + name.length;
  return CALLED.test(text.slice(end, end + MAX_BESIDE)) && !DECLARED.test(text.slice(Math.max(0, column - 20), column));
}
