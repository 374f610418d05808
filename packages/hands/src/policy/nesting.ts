import { createScanner } from 'jsonc-parser';

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);

/**
 * Whether JSON with comments is nested deeper than so many levels. The parser calls itself for each level: a file of
 * a hostile repository, which is read before anybody trusts it, must not be able to use up the stack.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const token = scanner.getTokenLength() === 1 ? text.charAt(scanner.getTokenOffset()) : '';
    const closer = CLOSERS.get(token);
    if (closer !== undefined) open.push(closer);
    // One that fits nothing closes nothing: the parser goes on in the same level, too.
    else if (open.at(-1) === token) open.pop();
    if (open.length > levels) return true;
  }
  return false;
}
