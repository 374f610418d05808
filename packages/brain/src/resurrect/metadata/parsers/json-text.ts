/** Removes comments and trailing commas from JSON with comments; quoted strings and line numbers stay the same. */
export function plainJson(text: string): string {
  return text
    .replace(/^\uFEFF/u, '')
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, (token) => (token.startsWith('"') ? token : token.replace(/[^\n]/gu, ' ')))
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gu, (token) => (token === ',' ? ' ' : token));
}

/** Parses JSON with or without comments. Throws on other content. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not plain JSON: files such as tsconfig.json contain comments.
    return JSON.parse(plainJson(text));
  }
}
