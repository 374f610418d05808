import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** Maximum number of places that are read of one answer. */
export const MAX_LOCATIONS = 20_000;

const position = z.object({ line: z.int().min(0).max(10_000_000), character: z.int().min(0).max(100_000_000) });
export const rangeSchema = z.object({ start: position, end: position });
const location = z.union([
  z.object({ uri: z.string(), range: rangeSchema }),
  z
    .object({ targetUri: z.string(), targetSelectionRange: rangeSchema })
    .transform(({ targetUri, targetSelectionRange }) => ({ uri: targetUri, range: targetSelectionRange })),
]);

/** A place that a server names: lines and columns from 0, in UTF-16 units. */
export interface ServerPlace {
  /** Path below the root, with `/`. */
  readonly path: string;
  readonly range: z.output<typeof rangeSchema>;
}

/** The places of an answer. */
export interface ServerPlaces {
  readonly places: readonly ServerPlace[];
  /** Names of files outside the workspace. They are not read: a server must not make a call show them. */
  readonly outside: readonly string[];
  /** Number of items that are no places. */
  readonly malformed: number;
}

/** The path of a URI below the root; undefined for what is outside or no file. */
export function pathBelow(uri: string, root: string): string | undefined {
  let path: string;
  try {
    path = fileURLToPath(uri);
  } catch {
    // `untitled:`, `jdt:` and similar URIs.
    return undefined;
  }
  const below = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
  // A server may be faulty: names such as `..` must not lead out again.
  return below === undefined || below.split('/').some((name) => name === '' || name === '.' || name === '..') || below.includes('\0')
    ? undefined
    : below;
}

const nameOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1, uri.lastIndexOf('/') + 80);

/** Reads a location, a list of them, or null. Skips malformed items. @param root the real path of the workspace */
export function readLocations(answer: unknown, root: string): ServerPlaces {
  const items: unknown[] = Array.isArray(answer)
    ? (answer as unknown[]).slice(0, MAX_LOCATIONS)
    : answer === null || answer === undefined
      ? []
      : [answer];
  const places = new Map<string, ServerPlace>();
  const outside = new Set<string>();
  let malformed = 0;
  for (const item of items) {
    const parsed = location.safeParse(item);
    if (!parsed.success) {
      malformed += 1;
      continue;
    }
    const { uri, range } = parsed.data;
    const path = pathBelow(uri, root);
    if (path === undefined) outside.add(nameOf(uri));
    else places.set(`${path}\0${range.start.line}\0${range.start.character}`, { path, range });
  }
  return { places: [...places.values()], outside: [...outside], malformed };
}
