/**
 * Words of TypeScript and JavaScript that the grammars do not know yet. Each only says more about a declaration, which reads the same without it.
 * Spaces are bounded, so that each place takes bounded time.
 */
const NEWER_WORDS: readonly RegExp[] = [
  // export type * from
  /(?<=\bexport\s{1,20})type(?=\s{0,20}\*)/gu,
  // import defer * as
  /(?<=\bimport\s{1,20})defer(?=\s{1,20}\*)/gu,
  // class G<in out T>
  /(?<=[<,]\s{0,20}(?:const\s{1,20})?)(?:in\s{1,20}out|in|out)(?=\s{1,20}[\p{L}_$])/gu,
  // static accessor x
  /(?<=[\s{;])accessor(?=[ \t]{1,20}(?!(?:as|extends|in|instanceof|is|of|satisfies)\b)[#\p{L}_$[])/gu,
  // export * from './a.json' with { type: 'json' }
  /(?<=\bfrom\s{0,20}(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')\s{0,20})with\s{0,20}\{[^{}]{0,300}\}/gu,
];

/** As many spaces as a text has UTF-16 units, by which places are counted. Lines end where they did. */
const blank = (text: string): string => text.replaceAll(/[^\r\n]/gu, (character) => ' '.repeat(character.length));

/** A text without such words: with spaces in their place, so that each place stays where it is. */
export function withoutNewerWords(text: string): string {
  return NEWER_WORDS.reduce((rest, pattern) => rest.replace(pattern, blank), text);
}
