import { foldBytes, PROTECTED_PLACES } from '../danger/protected-places.ts';
import { SECRET_PATTERNS } from './guarded-location.ts';

/** The names of secret and protected places, which may hold wildcards. Exceptions do not count: such a name is only looked at closer. */
const PLACES: ReadonlyArray<readonly string[]> = [
  ...SECRET_PATTERNS.filter((pattern) => !pattern.startsWith('!')).map((pattern) => pattern.split('/').filter((name) => name !== '')),
  ...PROTECTED_PLACES.map(({ names }) => names),
];

/** Folders in which other names are meant than elsewhere, such as `.docker/config.json`. */
const OWN_PLACES: ReadonlySet<string> = new Set(PLACES.flatMap((names) => names.slice(0, -1)));

const escaped = (text: string): string => text.replaceAll(/[.+^$()|[\]\\{}]/gu, String.raw`\$&`);
const alone = PLACES.flatMap((names) => (names.length === 1 ? names : []));
const endings = alone.flatMap((name) => (name.startsWith('*') ? [escaped(name.slice(1))] : []));
/** A leading dot is unusual anyway. */
const names = alone.flatMap((name) => (/^[.*]/u.test(name) ? [] : [escaped(name).replaceAll('*', '[^/]*')]));

/**
 * Finds in a listing an entry that may mean something to anybody: one that is neither a file nor a folder, has a leading dot or a character that
 * is folded, or has the name of a secret or protected place. A search in one text takes a twentieth of the time of a look at each name.
 */
const UNUSUAL = new RegExp(
  [
    String.raw`(?:^|\/)(?:[^fd]|.\.|.(?:${names.join('|')})(?:\/|$))`,
    `(?:${endings.join('|')})${String.raw`(?:\/|$)`}`,
    String.raw`[^\w\-+@.\/]`,
    String.raw`\.(?:\.|\/|$)`,
  ].join('|'),
  'i',
);

/**
 * Whether a folder holds no name that built-in rules are about, in whatever way it is written. False where it may.
 *
 * @param listing the names between slashes, each after a letter: `f` for a file, `d` for a folder. One character is one byte (latin1)
 */
export function hasUsualNames(path: string, listing: string): boolean {
  return !OWN_PLACES.has(foldBytes(path.slice(path.lastIndexOf('/') + 1))) && !UNUSUAL.test(listing);
}
