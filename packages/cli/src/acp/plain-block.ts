import type { CallContent } from './shown.ts';

/** Maximum number of characters of a text: the model reads as much, and editors keep all updates. */
export const MAX_TEXT = 16_000;

/** Text without its middle, if it is long. */
export function bounded(text: string, most = MAX_TEXT): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const omitted = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n… ${omitted} characters …\n${text.slice(-half).toWellFormed()}`;
}

/**
 * Text in a fence. Editors render text as Markdown, in which text of a file or a command could hide a part of itself, or show a link that
 * leads elsewhere.
 */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${fence}`;
}

/** A block of text that is shown as it is. */
export function plainBlock(text: string, language?: string): CallContent {
  return { type: 'block', block: { type: 'text', text: fenced(bounded(text), language) } };
}
