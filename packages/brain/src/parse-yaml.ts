/** Characters. What takes a parser longest, nested brackets and dashes, is over in less than a second at this length. */
const MAXIMUM_CHARACTERS = 32 * 1024;

/** A key of its own, `? key`. Nobody writes it, and 20,000 in a row keep the parser busy for five minutes. */
const EXPLICIT_KEY = /(?:^|[-\s[{,:])\?(?:\s|$)/mu;

/**
 * Parses YAML that nobody vouches for. Loads the parser when it is first needed.
 *
 * @throws Error where the text is no YAML, or could take long
 */
export async function parseYaml(text: string): Promise<unknown> {
  if (text.length > MAXIMUM_CHARACTERS) throw new Error('The YAML is too long.');
  // Quoted texts may hold what would be a key outside.
  if (EXPLICIT_KEY.test(text.replace(/"(?:[^"\\\n]|\\.)*"/gu, ''))) throw new Error('The YAML has explicit keys.');
  const { parse } = await import('yaml');
  // Aliases can make a short text grow without bounds.
  return parse(text, { maxAliasCount: 20, logLevel: 'error' });
}
