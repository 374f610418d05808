import { indentOf } from './tiers.ts';

/** What a line ends with behind which the next one stands further in. */
const OPENS = /(?:[{([:]|=>|(?<!-)->)$/u;
/** What a line ends or begins with behind which the next one may stand further in. */
const MAY_OPEN =
  /(?:[=>]|\b(?:do|then|else|where|of|begin|repeat|let)|\bdo\s*\|[^|]*\||\bfunction\b[^()]*\([^()]*\))$|^\s*(?:def|defp|defmodule|class|module|if|unless|elsif|elseif|else|when|while|until|for|case|begin|rescue|ensure|local function)\b/u;

/** Whether a line begins a block, so that the next one stands further in. */
export function opensBlock(line: string): boolean {
  return OPENS.test(line.trimEnd());
}

/** Whether a line may begin a block. */
export function mayOpenBlock(line: string): boolean {
  return opensBlock(line) || MAY_OPEN.test(line.trimEnd());
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
