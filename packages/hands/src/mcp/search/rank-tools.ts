/** What can be searched for. */
export interface SearchableTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** How much a word counts by where it stands. */
const WEIGHTS = { name: 4, title: 2, description: 1 } as const;
/** A word that only begins with what is looked for counts as a part of one. */
const PREFIX_SHARE = 0.5;
/** Of a description so many words are looked at. */
const MAX_WORDS = 400;

/** Words in lower case; `createIssue` and `create_issue` are the same two. */
export function words(text: string): string[] {
  return (
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, MAX_WORDS) ?? []
  );
}

function weightsOf(tool: SearchableTool): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of ['description', 'title', 'name'] as const) {
    // The heaviest place counts: repeating a word does not make a tool a better one.
    for (const word of words(tool[field])) weights.set(word, WEIGHTS[field]);
  }
  return weights;
}

/**
 * The tools that fit a query, best first: those that have its rare words, most of all in their names.
 *
 * @param limit how many at most
 */
export function rankTools<Tool extends SearchableTool>(query: string, tools: readonly Tool[], limit: number): Tool[] {
  const wanted = [...new Set(words(query))];
  const weighted = tools.map((tool) => ({ tool, weights: weightsOf(tool) }));
  const scores = new Map<Tool, number>();
  for (const word of wanted) {
    const found = weighted.flatMap(({ tool, weights }) => {
      const whole = weights.get(word);
      if (whole !== undefined) return [{ tool, weight: whole }];
      const begun = [...weights].filter(([other]) => word.length >= 3 && other.startsWith(word)).map(([, weight]) => weight * PREFIX_SHARE);
      return begun.length === 0 ? [] : [{ tool, weight: Math.max(...begun) }];
    });
    // A word that all tools have tells none apart.
    const rarity = Math.log(1 + tools.length / (1 + found.length));
    for (const { tool, weight } of found) scores.set(tool, (scores.get(tool) ?? 0) + weight * rarity);
  }
  const exact = (tool: Tool): boolean => tool.name.toLowerCase() === query.trim().toLowerCase();
  return tools
    .filter((tool) => scores.has(tool) || exact(tool))
    .toSorted((a, b) => Number(exact(b)) - Number(exact(a)) || (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || (a.name < b.name ? -1 : 1))
    .slice(0, limit);
}
