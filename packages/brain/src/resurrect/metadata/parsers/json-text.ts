/** Takes comments and trailing commas out of JSON with comments; texts in quotes stay as they are. Lines keep their numbers. */
export function plainJson(text: string): string {
  return text
    .replace(/^\uFEFF/u, '')
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, (token) => (token.startsWith('"') ? token : token.replace(/[^\n]/gu, ' ')))
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gu, (token) => (token === ',' ? ' ' : token));
}

/** Parses JSON, also with comments; throws where it is neither. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not plain JSON: tsconfig-like files have comments.
    return JSON.parse(plainJson(text));
  }
}
