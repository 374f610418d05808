import type { Found, FoundPlace } from './navigation-use.ts';

/** Maximum number of places that are shown. */
const MAX_SHOWN = 200;

const range = ({ line, end_line: end }: FoundPlace): string => (end === undefined || end === line ? `${line}` : `${line}-${end}`);

function lineOf(place: FoundPlace): string {
  const symbol = place.symbol === undefined ? '' : `${place.end_line === undefined ? 'in ' : ''}${place.symbol}: `;
  return `  ${range(place)} ${symbol}${place.text ?? ''}`;
}

/** The lines of places, each once. */
function linesOf(places: readonly FoundPlace[]): string[] {
  const times = new Map<string, number>();
  for (const place of places) times.set(lineOf(place), (times.get(lineOf(place)) ?? 0) + 1);
  return Array.from(times, ([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
}

/** The places that an answer shows. */
export const shownPlaces = ({ places }: Found): readonly FoundPlace[] => places.slice(0, MAX_SHOWN);

/** An answer as text: by file, with the lines. */
export function formatFound(found: Found): string {
  const shown = shownPlaces(found);
  const files = Map.groupBy(shown, ({ path }) => path);
  const groups = Array.from(files, ([path, places]) => `${path}\n${linesOf(places).join('\n')}`);
  return [...(found.about === undefined || found.about === '' ? [] : [found.about]), ...groups].map((text) => `${text}\n`).join('');
}
