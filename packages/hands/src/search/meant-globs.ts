import { isSynapseError } from '@synapse/protocol';
import { compileGlobs } from './glob.ts';

/** Whether any file matches these globs, hidden ones too. */
export type HasFiles = (globs: readonly string[]) => Promise<boolean>;

/** How globs are read, with a note if that is not how they are written. */
export interface MeantGlobs {
  readonly globs: readonly string[];
  readonly note: string | undefined;
  /** Whether any file matches, hidden ones too. */
  readonly matches: boolean;
}

/** The separators of a list in one text; those in braces, brackets and brackets of extended globs do not separate. */
const SEPARATOR = /[\s,;|]/u;
const OPENING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
/** An ending without a wildcard: `ts`, `.ts`, `d.ts`. */
const ENDING = /^\.?[A-Za-z][\w+-]{0,9}(?:\.[A-Za-z][\w+-]{0,9})?$/u;
/** A regular expression for names with an ending: `.*\.ts$`, `\.(ts|tsx)$`. */
const ENDING_EXPRESSION = /^\^?(?:\.\*)?\\\.(?:(\w+)|\((?:\?:)?(\w+(?:\|\w+)*)\))\$?$/u;
/** The start of an absolute path, or of a path in a folder that only a shell knows. */
const ROOTED = /^(?:file:\/\/)?(?:\/|~\/|\$\{?\w+\}?\/|[A-Za-z]:\/)/u;
/** Options that other programs have for globs. */
const OPTION = /^(?:--?(?:g|glob|include|iglob)[= ])/u;
/** Maximum number of readings to try for one glob. */
const MAX_READINGS = 14;

/** Splits a list in one text. A single glob stays one. */
function split(text: string): string[] {
  const parts: string[] = [];
  const closing: string[] = [];
  let part = '';
  for (const character of text) {
    if (character === closing.at(-1)) closing.pop();
    else if (OPENING[character] !== undefined) closing.push(OPENING[character]);
    if (closing.length === 0 && SEPARATOR.test(character)) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '');
}

/** The texts of a JSON list; undefined for any other text. */
function jsonList(text: string): string[] | undefined {
  if (!/^\s*\[\s*"/u.test(text)) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined;
  } catch {
    // A class of characters that contains a quotation mark.
    return undefined;
  }
}

/** Writes a glob in the syntax here: no quotes, no blanks in braces, no extended globs, slashes as separators. */
function tidy(glob: string): string {
  const expression = ENDING_EXPRESSION.exec(glob);
  if (expression !== null) return `*.${expression[1] ?? `{${(expression[2] ?? '').replaceAll('|', ',')}}`}`;
  return (
    glob
      .trim()
      .replace(OPTION, '')
      .replace(/^(["'`])(.*)\1$/u, '$2')
      // A backslash before a letter or a wildcard is a separator of Windows.
      .replaceAll(/\\(?=[\w*.])/gu, '/')
      .replaceAll(/[@+?*]?\(([^()]*)\)/gu, (_, inner: string) => `{${inner.replaceAll('|', ',')}}`)
      .replaceAll(/\{[^{}]*\}/gu, (braces) =>
        braces
          .replaceAll(/\s+/gu, '')
          .replaceAll('|', ',')
          .replace(/^\{([^,]*)\}$/u, '$1'),
      )
  );
}

/** A glob with brackets, braces, or both, as characters of names: `app/[id]/page.tsx`. A folder stands for what is in it. */
function asNames(glob: string): string[] {
  return [/[[\]]/gu, /[{}]/gu, /[[\]{}]/gu]
    .map((special) => glob.replaceAll(special, String.raw`\$&`))
    .filter((name) => name !== glob)
    .flatMap((name) => (/[*/]$/u.test(name) ? [name] : [name, `${name}/**`]));
}

/** What a single glob may mean, the most likely first: itself, names with its characters, an ending, a folder, a path from elsewhere. */
function readings(glob: string, folder: string): string[] {
  const exclude = glob.startsWith('!') ? '!' : '';
  const plain = tidy(glob.slice(exclude.length));
  const found = [plain, ...asNames(glob.slice(exclude.length).trim())];
  if (ENDING.test(plain)) found.push(`*.${plain.replace(/^\./u, '')}`);
  if (/^[\w.-]+$/u.test(plain) && !plain.startsWith('.')) found.push(`${plain}/**`);
  if (folder !== '.' && plain.startsWith(`${folder}/`)) found.push(`./${plain.slice(folder.length + 1)}`);
  if (ROOTED.test(plain)) {
    const names = plain.replace(ROOTED, '').split('/');
    for (let at = 0; at < names.length && !/[*?[{]/u.test(names[at - 1] ?? ''); at += 1) found.push(`./${names.slice(at).join('/')}`);
  }
  return [...new Set(found)].slice(0, MAX_READINGS).map((one) => exclude + one);
}

/** Whether globs are well-formed. */
function isValid(globs: readonly string[]): boolean {
  try {
    compileGlobs(globs);
    return true;
  } catch (error) {
    if (isSynapseError(error)) return false;
    throw error;
  }
}

/** The only reading of a piece that files match, or the first of several where that is sure; undefined if there is none. */
function certainOf(piece: string, options: readonly string[], [first, ...others]: readonly string[]): string | undefined {
  return others.length === 0 || first === options[0] || ROOTED.test(piece) ? first : undefined;
}

/**
 * Reads globs that match no file as they are written: a list in one text, an ending, a folder, another syntax. Takes only a reading
 * that files match, and only the one such reading of a glob.
 *
 * @param folder the folder that they are relative to
 */
export async function meantGlobs(given: readonly string[], folder: string, hasFiles: HasFiles): Promise<MeantGlobs> {
  const meant: string[] = [];
  let isFound = false;
  for (const text of given) {
    const isWhole =
      ENDING_EXPRESSION.test(text) ||
      (
        await matchedBy(
          [text, ...asNames(text)].filter((one) => isValid([one])),
          hasFiles,
        )
      ).length > 0;
    for (const piece of isWhole ? [text] : (jsonList(text) ?? split(text.replace(OPTION, '')))) {
      const options = readings(piece, folder).filter((one) => isValid([one]));
      // What is excluded need not exist.
      const matching = piece.startsWith('!') ? [] : await matchedBy(options, hasFiles);
      const certain = certainOf(piece, options, matching);
      isFound ||= certain !== undefined;
      const reading = certain ?? options[0];
      if (reading !== undefined) meant.push(reading);
    }
  }
  const isOther = meant.join('\n') !== given.join('\n');
  if (!isFound || !isOther) return { globs: given, note: undefined, matches: isFound };
  return { globs: meant, note: `The glob was read as ${meant.map((one) => one.replace(/^\.\//u, '')).join(', ')}.`, matches: true };
}

async function matchedBy(options: readonly string[], hasFiles: HasFiles): Promise<string[]> {
  const found: string[] = [];
  for (const one of options) if (await hasFiles([one])) found.push(one);
  return found;
}
