import { indentOf } from './tiers.ts';

/** What a line ends with behind which the next one stands further in. */
const OPENS = /(?:[{([:]|=>|(?<!-)->)$/u;
/** What a line ends or begins with behind which the next one may stand further in. */
const MAY_OPEN =
  /(?:[=>]|\b(?:do|then|else|where|of|begin|repeat|let)|\bdo\s*\|[^|]*\|)$|^\s*(?:def|defp|defmodule|class|module|if|unless|elsif|elseif|else|when|while|until|for|case|begin|rescue|ensure|local function)\b/u;

/** Whether a line begins a block, so that the next one stands further in. */
export function opensBlock(line: string): boolean {
  return OPENS.test(line.trimEnd());
}

/** Whether a line ends with the parameters of a function. Goes from the end: an expression would take quadratic time. */
function endsWithParameters(line: string): boolean {
  const open = line.lastIndexOf('(');
  if (open < 1 || line.indexOf(')', open) !== line.length - 1) return false;
  const before = Math.max(line.lastIndexOf('(', open - 1), line.lastIndexOf(')', open - 1));
  return /\bfunction\b/u.test(line.slice(before + 1, open));
}

/** Whether a line may begin a block. */
export function mayOpenBlock(line: string): boolean {
  const text = line.trimEnd();
  return opensBlock(text) || MAY_OPEN.test(text) || endsWithParameters(text);
}

/** Share of the lines further in than the one before them that must follow the mark of a block. */
const MARKED = 0.6;

/**
 * Whether the lines of a text stand further in behind the mark of a block alone: not so in prose, lists and other texts. Only then
 * it tells something that a line could not stand where it is.
 */
export function marksBlocks(text: string): boolean {
  let [all, marked] = [0, 0];
  let before: string | undefined;
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.trimStart().startsWith('*')) continue;
    if (before !== undefined && indentOf(line).length > indentOf(before).length) {
      all += 1;
      if (mayOpenBlock(before)) marked += 1;
    }
    before = line;
  }
  return marked >= all * MARKED;
}
