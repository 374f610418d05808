import { dirname } from 'node:path';

/** A path that was hidden from a command. */
export interface MaskedPlace {
  readonly path: string;
  /** The link to it that a rule denies, relative to the workspace; one character per byte (latin1). */
  readonly link?: string;
}

/** What a failed command said, and what was hidden from it. */
interface MaskFacts {
  readonly said: string;
  readonly root: string;
  /** Paths in the workspace that were hidden from it. */
  readonly masked: readonly MaskedPlace[];
}

/** How programs report a path with a mount on it. */
const BUSY_SIGN = /Device or resource busy|\bEBUSY\b/u;
/** How programs report a file that they may not open. Hidden files can be sockets. */
const CLOSED_SIGN = /Permission denied|\bEACCES\b|No such device or address|\bENXIO\b|can only add regular files/u;
/** Output of a command may contain anything, so only plain names are repeated. */
export const TELLABLE = /^[\x21-\x7e]{1,200}$/u;
/** How mv begins its messages, and how others report that something cannot be moved. */
const MOVE_SIGN = /^mv: |cannot (?:move|rename)|can't (?:move|rename)|\brename\b/u;
const WORD = /[^\s'"`,;()<>|‘’]+/gu;

/**
 * A hidden path cannot be opened. If it is hidden by a mount, neither it nor a folder around it can be deleted or moved. On a
 * copy, a folder is moved by copying its content, and what is in a hidden folder cannot be copied.
 */
export function explainMasks({ said, root, masked }: MaskFacts): string[] {
  const lines = said.split('\n');
  const places = masked.map(({ path, link }) => ({ name: path.slice(root.length + 1), link }));
  const names = places.map(({ name }) => name).filter((name) => TELLABLE.test(name));
  // A rule is about the name of the link then, and the place itself needs no rule.
  const why = (name: string): string => {
    const links = places.filter((place) => place.name === name).map(({ link }) => link);
    const [link] = links.includes(undefined) ? [] : links;
    return link === undefined || !TELLABLE.test(link) ? '' : ` because the link ${link} leads to it`;
  };
  const [closedLines, busyLines] = [CLOSED_SIGN, BUSY_SIGN].map((sign) => lines.filter((line) => sign.test(line)).map((line) => wordsOf(line, root)));
  const find = (words: readonly string[][] = [], isMeant: (word: string, name: string) => boolean): string | undefined =>
    names.find((name) => words.some((line) => line.some((word) => isMeant(word, name))));
  const rule = (name: string): string =>
    why(name) === ''
      ? `shows it to them with a rule that allows read(${name})`
      : 'deletes that link, or shows it to them with a rule that allows reading it';
  const closed = find(closedLines, isEndOf);
  const around = find(busyLines, isAround) ?? (lines.some((line) => MOVE_SIGN.test(line)) ? closed : undefined);
  if (around !== undefined && lines.some((line) => MOVE_SIGN.test(line)))
    return [
      `${around} is hidden from commands${why(around)}, so they cannot move it or a folder around it, and what they copied of that folder is not complete: the tool move_path moves the folder with all in it, where rules hide it under its new name too`,
    ];
  if (around !== undefined)
    return [`${around} is hidden from commands${why(around)}, so that they cannot delete or move it: a person does that, or ${rule(around)}`];
  return closed === undefined
    ? []
    : [`${closed} is hidden from commands${why(closed)}: a person ${rule(closed)}; the tool move_path moves a folder with it`];
}

/** The words of a line that could be paths, relative to the root if they begin with it. */
function wordsOf(line: string, root: string): string[] {
  const words = line.match(WORD) ?? [];
  return words
    .map((word) =>
      word
        .replace(/:$/u, '')
        .replace(`${root}/`, '')
        .replace(/^(?:\.\/)+/u, '')
        .replace(/\/+$/u, ''),
    )
    .filter((word) => word !== '');
}

/** Whether a word is a path, or its end as seen from another folder. */
const isEndOf = (word: string, path: string): boolean => path === word || path.endsWith(`/${word}`);

/** Whether a word is a path, a folder around it, or the end of either. */
function isAround(word: string, path: string): boolean {
  for (let at = path; at !== '.'; at = dirname(at)) if (isEndOf(word, at)) return true;
  return false;
}
