import { hash } from 'node:crypto';

/** A here-document: its first line, and its body up to the word that ends it, or to the end of the text. */
const HERE_DOCUMENT = /(<<-?[ \t]*(['"\\]?)([A-Za-z_][\w.-]*)\2[^\n]*\n)(.*?)(?=\n\t*\3(?:\n|$)|$)/gsu;
const SUM_DIGITS = 16;

/** Replaces what here-documents hold by its hash: it becomes the content of a file, which no receipt has. */
export function withoutHereDocuments(text: string): string {
  return text.replace(
    HERE_DOCUMENT,
    (_, first: string, _quote, _end, body: string) => `${first}[${Buffer.byteLength(body)} bytes, ${hash('sha256', body).slice(0, SUM_DIGITS)}]`,
  );
}
