import { hash } from 'node:crypto';

/** The beginning of a here-document, with the word that ends it; no here-string. */
const START = /(?<!<)<<(?!<)-?[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)/gu;
const QUOTES = /'([^']*)'|"([^"]*)"|\\(.)/gu;
const SUM_DIGITS = 16;

/** A line without the tabs that may be before the word at the end. */
const bare = (line: string): string => line.replace(/^\t+/u, '');

/** Whether a place in a line is in an arithmetic expression, in which `<<` shifts bits. */
const isArithmetic = (line: string): boolean => line.lastIndexOf('((') > line.lastIndexOf('))');

/**
 * Replaces what here-documents hold by its length and hash: it becomes the content of a file, which no receipt has. One that does not end
 * takes the rest of the text.
 */
export function withoutHereDocuments(text: string): string {
  if (!text.includes('<<')) return text;
  const lines = text.split('\n');
  const last = new Map(lines.map((line, at) => [bare(line), at]));
  const shown: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    shown.push(line);
    at += 1;
    for (const { 1: word = '', index } of line.matchAll(START)) {
      const end = word.replaceAll(QUOTES, '$1$2$3');
      const hasEnd = (last.get(end) ?? -1) >= at;
      if (at >= lines.length || (!hasEnd && isArithmetic(line.slice(0, index)))) continue;
      let until = at;
      while (until < lines.length && bare(lines[until] ?? '') !== end) until += 1;
      const body = lines.slice(at, until).join('\n');
      shown.push(`[${Buffer.byteLength(body)} bytes, ${hash('sha256', body).slice(0, SUM_DIGITS)}]`, ...lines.slice(until, until + 1));
      at = until + 1;
    }
  }
  return shown.join('\n');
}
