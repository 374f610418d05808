import { mostLineEnds } from '@synapse/hands';
import { parse as parseToml } from '@decimalturn/toml-patch';
import { isDeepStrictEqual } from 'node:util';
import { byHand, misread, type EntryFormat } from './entry-format.ts';
import { isTable, ownTables, withoutField } from './parsed-value.ts';

/** JSON's escapes are TOML's, but for DEL, which TOML wants escaped. */
function text(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

function rendered(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(text).join(', ')}]` : text(value);
}

/** Tells a parser's error apart from others by the place it names; its column counts from 0. */
function placeOf(error: unknown): { line: number; column: number } | undefined {
  if (!(error instanceof Error) || !('line' in error) || !('column' in error)) return undefined;
  const { line, column } = error;
  return typeof line === 'number' && typeof column === 'number' ? { line, column: column + 1 } : undefined;
}

/** A header of a table as a pattern: `[a.b]`, with any quotes and spaces. */
function header(keys: readonly string[]): RegExp {
  const names = keys.map((key) => `(?:${RegExp.escape(key)}|"${RegExp.escape(key)}"|'${RegExp.escape(key)}')`);
  return new RegExp(String.raw`^[ \t]*\[[ \t]*${names.join(String.raw`[ \t]*\.[ \t]*`)}[ \t]*[.\]]`, 'u');
}

/** Which lines a table and the tables below it take, without what stands before the next table. */
function tableLines(lines: readonly string[], keys: readonly string[]): boolean[] {
  const own = header(keys);
  const taken: boolean[] = [];
  let inside = false;
  for (const line of lines) {
    if (/^[ \t]*\[/u.test(line)) inside = own.test(line);
    taken.push(inside);
  }
  // Blank lines and comments at the end belong to what follows.
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    if (taken[index] === true && taken[index + 1] !== true && /^[ \t]*(?:#|\r?\n?$)/u.test(lines[index] ?? '')) taken[index] = false;
  }
  return taken;
}

/**
 * Edits TOML as text. Where a parser agrees that nothing else changed, the edit counts; where it does
 * not, the file is left to its owner.
 *
 * @param file as problems name it
 */
export function tomlFormat(file: string): EntryFormat {
  function parse(source: string): unknown {
    try {
      return ownTables(parseToml(source));
    } catch (error) {
      const { line, column } = placeOf(error) ?? { line: 1, column: 1 };
      throw misread(file, line, column, `this is not TOML: ${error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : 'unknown'}`);
    }
  }

  function get(source: string, keys: readonly string[]): unknown {
    let value: unknown = parse(source);
    for (const key of keys) {
      if (value === undefined) return undefined;
      if (!isTable(value)) throw byHand(file, `make "${keys.slice(0, -1).join('.')}" a table`);
      value = value[key];
    }
    return value;
  }

  const without = (source: string, keys: readonly string[]): unknown => withoutField(parse(source), keys);

  function checked(
    before: string,
    result: string,
    keys: readonly string[],
    entry: Readonly<Record<string, unknown>> | undefined,
    what: string,
  ): string {
    let did = false;
    try {
      did = isDeepStrictEqual(get(result, keys), entry) && isDeepStrictEqual(without(result, keys), without(before, keys));
    } catch {
      // What came out is no TOML: the table is written in another way than as a table.
    }
    if (!did) throw byHand(file, what);
    return result;
  }

  function remove(source: string, keys: readonly string[]): string {
    if (get(source, keys) === undefined) return source;
    const lines = source.split(/(?<=\n)/u);
    const taken = tableLines(lines, keys);
    // The blank line that set the table apart goes with it.
    const first = taken.indexOf(true);
    if (first > 0 && /^[ \t]*\r?\n$/u.test(lines[first - 1] ?? '')) taken[first - 1] = true;
    const kept = lines.filter((_, index) => taken[index] !== true).join('');
    return checked(source, kept, keys, undefined, `take [${keys.join('.')}] out`);
  }

  return {
    get,
    without,
    remove,
    set(source, keys, entry) {
      const lineEnd = mostLineEnds(source) ?? '\n';
      const rest = remove(source, keys);
      const kept = rest.trim() === '' ? '' : rest;
      const gap = kept === '' ? '' : kept.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
      const fields = Object.entries(entry).map(([name, value]) => `${name} = ${rendered(value)}${lineEnd}`);
      const table = `[${keys.join('.')}]${lineEnd}${fields.join('')}`;
      return checked(source, `${kept}${gap}${table}`, keys, entry, `add [${keys.join('.')}]`);
    },
  };
}
