/** Texts that are remembered, and how long each may be. */
const MAX_REMEMBERED = 64;
const MAX_CHARACTERS = 256;

/**
 * A pure function of a text that remembers what it said of the last few short ones: a call names its path in four places,
 * and tools and their fields have few names.
 */
export function remembering<T>(judge: (text: string) => T): (text: string) => T {
  const seen = new Map<string, { readonly said: T }>();
  return (text) => {
    if (text.length > MAX_CHARACTERS) return judge(text);
    const before = seen.get(text);
    if (before !== undefined) return before.said;
    const said = judge(text);
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.set(text, { said });
    return said;
  };
}
