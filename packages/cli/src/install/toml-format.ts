import { mostLineEnds } from '@synapse/hands/internal';
import { parse as parseToml, patch } from '@decimalturn/toml-patch';
import { isDeepStrictEqual } from 'node:util';
import { byHand, misread, type EntryFormat } from './entry-format.ts';
import { isTable, ownTables, withField, withoutField } from './parsed-value.ts';

/** JSON's escapes are valid in TOML, except that TOML requires one for DEL. */
function text(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

function rendered(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(text).join(', ')}]` : text(value);
}

/** Recognizes a parser error by its position; its column starts at 0. */
function placeOf(error: unknown): { line: number; column: number } | undefined {
  if (!(error instanceof Error) || !('line' in error) || !('column' in error)) return undefined;
  const { line, column } = error;
  return typeof line === 'number' && typeof column === 'number' ? { line, column: column + 1 } : undefined;
}

/** A pattern for a table header: `[a.b]`, with any quotes and spaces. */
function header(keys: readonly string[]): RegExp {
  const names = keys.map((key) => `(?:${RegExp.escape(key)}|"${RegExp.escape(key)}"|'${RegExp.escape(key)}')`);
  return new RegExp(String.raw`^[ \t]*\[[ \t]*${names.join(String.raw`[ \t]*\.[ \t]*`)}[ \t]*[.\]]`, 'u');
}

/** The lines of a table and its subtables, without comments that belong to the next table. */
function tableLines(lines: readonly string[], keys: readonly string[]): boolean[] {
  const own = header(keys);
  const taken: boolean[] = [];
  let inside = false;
  for (const line of lines) {
    if (/^[ \t]*\[/u.test(line)) inside = own.test(line);
    taken.push(inside);
  }
  // Blank lines and comments at the end belong to the next table.
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    if (taken[index] === true && taken[index + 1] !== true && /^[ \t]*(?:#|\r?\n?$)/u.test(lines[index] ?? '')) taken[index] = false;
  }
  return taken;
}

/**
 * Edits TOML as text. Each edit is checked with a parser: if anything else would change, the file stays as
 * it is.
 *
 * @param file the name of the file in errors
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

  const without = (source: string, places: ReadonlyArray<readonly string[]>): unknown => places.reduce(withoutField, parse(source));

  function checked(before: string, result: string, keys: readonly string[], value: unknown, what: string): string {
    let did = false;
    try {
      did = isDeepStrictEqual(get(result, keys), value) && isDeepStrictEqual(without(result, [keys]), without(before, [keys]));
    } catch {
      // Invalid TOML: the table is written in another form.
    }
    if (!did) throw byHand(file, what);
    return result;
  }

  /** Changes a value in place, or adds it after the others of its table. */
  function patched(source: string, keys: readonly string[], value: unknown): string {
    const result = patch(source, withField(parse(source), keys, value));
    return checked(source, result, keys, value, `${value === undefined ? 'take' : 'put'} "${keys.join('.')}" ${value === undefined ? 'out' : 'in'}`);
  }

  function remove(source: string, keys: readonly string[]): string {
    const there = get(source, keys);
    if (there === undefined) return source;
    if (!isTable(there)) return patched(source, keys, undefined);
    const lines = source.split(/(?<=\n)/u);
    const taken = tableLines(lines, keys);
    // Remove the blank line before the table, too.
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
      if (!isTable(entry)) return patched(source, keys, entry);
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
