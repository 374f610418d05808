/** Maximum length in characters. At this length the slowest input, nested brackets and dashes, parses in less than a second. */
const MAXIMUM_CHARACTERS = 32 * 1024;

/** An explicit key, `? key`. Rarely used, and 20,000 in a row take the parser five minutes. */
const EXPLICIT_KEY = /(?:^|[-\s[{,:])\?(?:\s|$)/mu;

/**
 * Parses untrusted YAML. Loads the parser on first use.
 *
 * @throws Error if the text is not YAML or could take long to parse
 */
export async function parseYaml(text: string): Promise<unknown> {
  if (text.length > MAXIMUM_CHARACTERS) throw new Error('The YAML is too long.');
  // Quoted text may contain question marks.
  if (EXPLICIT_KEY.test(text.replace(/"(?:[^"\\\n]|\\.)*"/gu, ''))) throw new Error('The YAML has explicit keys.');
  const { parse } = await import('yaml');
  // Aliases can expand a short text without limit.
  return parse(text, { maxAliasCount: 20, logLevel: 'error' });
}
