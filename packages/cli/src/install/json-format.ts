import { mostLineEnds } from '@synapse/hands/internal';
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  stripComments,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { isDeepStrictEqual } from 'node:util';
import { byHand, misread, type EntryFormat } from './entry-format.ts';
import { ownTables, withoutField } from './parsed-value.ts';

/** From jsonc-parser's SyntaxKind, a const enum that does not exist at run time. */
const COMMA = 5;
const COMMENT: ReadonlySet<number> = new Set([12, 13]);
const TRIVIA: ReadonlySet<number> = new Set([...COMMENT, 14, 15]);
const INDENTATION = '  ';

interface Part {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The indentation of the line at an offset. */
function indentationAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

function beginsLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/u.test(text.slice(Math.max(0, text.lastIndexOf('\n', offset - 1)), offset));
}

/** The text after a value: its comma, and the end of its comments. */
function after(text: string, offset: number): { comma: number | undefined; end: number } {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let comma: number | undefined;
  let end = offset;
  for (let token: number = scanner.scan(); token === COMMA || TRIVIA.has(token); token = scanner.scan()) {
    if (token === COMMA) comma = scanner.getTokenOffset();
    if (token === COMMA || COMMENT.has(token)) end = scanner.getTokenOffset() + scanner.getTokenLength();
  }
  return { comma, end };
}

function splice(text: string, parts: readonly Part[]): string {
  return parts
    .toSorted((a, b) => b.start - a.start)
    .reduce((whole, { start, end, text: piece }) => whole.slice(0, start) + piece + whole.slice(end), text);
}

/** The formatting of a file, which a new entry follows. */
function layoutOf(text: string): { lineEnd: string; unit: string } {
  return { lineEnd: mostLineEnds(text) ?? '\n', unit: /^([ \t]+)"/mu.exec(text)?.[1] ?? INDENTATION };
}

function rendered(value: unknown, indentation: string, { lineEnd, unit }: ReturnType<typeof layoutOf>): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', lineEnd + indentation);
}

/** The edits that add a field to an object that is on one line. */
function addInLine(text: string, object: Node, key: string, value: unknown): Part[] {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const gap = /":\s/u.test(text) ? ' ' : '';
  const field = `${JSON.stringify(key)}:${gap}${JSON.stringify(value)}`;
  if (last === undefined) return [{ start: close, end: close, text: field }];
  const { comma, end } = after(text, last.offset + last.length);
  if (comma === undefined) return [{ start: last.offset + last.length, end: last.offset + last.length, text: `,${gap}${field}` }];
  return [{ start: end, end, text: `${gap}${field}` }];
}

/** The edits that add a field to an object, on a line of its own. */
function addLine(text: string, object: Node, key: string, value: unknown): Part[] {
  const layout = layoutOf(text);
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const outer = indentationAt(text, object.offset);
  const inner = last !== undefined && beginsLine(text, last.offset) ? indentationAt(text, last.offset) : outer + layout.unit;
  const field = `${layout.lineEnd}${inner}${JSON.stringify(key)}: ${rendered(value, inner, layout)}`;
  const from = last === undefined ? object.offset + 1 : last.offset + last.length;
  const { comma, end } = after(text, from);
  const rest = text.slice(end, close).includes('\n') ? '' : layout.lineEnd + outer;
  if (last === undefined) return [{ start: end, end: rest === '' ? end : close, text: `${field}${rest}` }];
  if (comma !== undefined) return [{ start: end, end, text: `${field},${rest}` }];
  if (from === end) return [{ start: end, end, text: `,${field}${rest}` }];
  return [
    { start: from, end: from, text: ',' },
    { start: end, end, text: `${field}${rest}` },
  ];
}

/** The edits that add a field to an object. */
const addField = (text: string, object: Node, key: string, value: unknown, oneLine: boolean): Part[] =>
  (oneLine ? addInLine : addLine)(text, object, key, value);

/** The edits that remove a field, with its comma and, if it is alone on them, its lines. */
function removeField(text: string, object: Node, field: Node): Part[] {
  const siblings = object.children ?? [];
  const previous = siblings[siblings.indexOf(field) - 1];
  const { comma } = after(text, field.offset + field.length);
  let [start, end] = [field.offset, comma === undefined ? field.offset + field.length : comma + 1];
  const parts: Part[] = [];
  if (comma === undefined && previous !== undefined) {
    const before = after(text, previous.offset + previous.length).comma;
    if (before !== undefined) parts.push({ start: before, end: before + 1, text: '' });
  }
  const lineRest = /^[ \t]*(?:\r?\n|$)/u.exec(text.slice(end))?.[0];
  const alone = beginsLine(text, start);
  if (alone && lineRest !== undefined) {
    start -= indentationAt(text, start).length;
    end += lineRest.length;
  } else if (alone || comma !== undefined) {
    end += /^[ \t]*/u.exec(text.slice(end))?.[0].length ?? 0;
  } else {
    start -= /[ \t]*$/u.exec(text.slice(0, start))?.[0].length ?? 0;
  }
  return [...parts, { start, end, text: '' }];
}

/** A file that is read as JSON. */
interface JsonFile {
  /** Its name in errors. */
  readonly file: string;
  /** Whether its reader supports comments and trailing commas. */
  readonly comments: boolean;
}

function problem({ file }: JsonFile, text: string, offset: number, what: string): Error {
  const before = text.slice(0, offset);
  return misread(file, before.split('\n').length, offset - before.lastIndexOf('\n'), what);
}

/** Undefined for a file without content, apart from white space and supported comments. */
function parse(json: JsonFile, text: string): Node | undefined {
  const { comments } = json;
  if ((comments ? stripComments(text) : text).trim() === '') return undefined;
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: comments, disallowComments: !comments });
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error;
    throw problem(json, text, 0, 'it is nested too deep to be read');
  }
  const [first] = errors;
  if (root !== undefined && first === undefined) return root;
  const why = first === undefined ? 'nothing could be read' : printParseErrorCode(first.error);
  throw problem(json, text, first?.offset ?? 0, `this is not JSON${comments ? '' : ' without comments'}: ${why}`);
}

/** The existing objects along a path. Throws for duplicate keys, which readers interpret in different ways. */
function objectsTo(json: JsonFile, text: string, root: Node, keys: readonly string[]): [Node, ...Node[]] {
  const objects: [Node, ...Node[]] = [root];
  for (const [depth, key] of keys.entries()) {
    const object = objects.at(-1);
    if (object === undefined) break;
    if (object.type !== 'object')
      throw problem(json, text, object.offset, `${depth === 0 ? 'the file' : JSON.stringify(keys[depth - 1])} must be an object`);
    const found = object.children?.filter(({ children }) => children?.[0]?.value === key) ?? [];
    if (found.length > 1) throw problem(json, text, found[1]?.offset ?? 0, `${JSON.stringify(key)} is there twice`);
    const value = found[0]?.children?.[1];
    if (value === undefined) break;
    objects.push(value);
  }
  return objects;
}

const nestedIn = (keys: readonly string[], value: unknown): unknown => keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

/** Puts a value at a path of a file that has none. */
function begin(text: string, keys: readonly string[], value: unknown): string {
  const layout = layoutOf(text);
  const kept = text.trim() === '' ? '' : text.trimEnd() + layout.lineEnd;
  return `${kept}${rendered(nestedIn(keys, value), '', layout)}${layout.lineEnd}`;
}

/** Puts a value at a path, in place of one or as a new field. @param objects the existing objects along the path */
function put(text: string, objects: readonly [Node, ...Node[]], keys: readonly string[], value: unknown): string {
  const [root] = objects;
  const deepest = objects.at(-1) ?? root;
  const [start, end] = [deepest.offset, deepest.offset + deepest.length];
  const isOneLine = !text.slice(start, end).includes('\n');
  if (objects.length > keys.length) {
    const place = isOneLine ? JSON.stringify(value) : rendered(value, indentationAt(text, start), layoutOf(text));
    return splice(text, [{ start, end, text: place }]);
  }
  const [key = '', ...rest] = keys.slice(objects.length - 1);
  const whole = text.slice(root.offset, root.offset + root.length);
  const oneLine = deepest.children?.length === 0 ? !whole.includes('\n') && deepest !== root : isOneLine;
  return splice(text, addField(text, deepest, key, nestedIn(rest, value), oneLine));
}

/**
 * Edits JSON, with or without comments, in place.
 *
 * @param file the name of the file in errors
 * @param comments whether the reader of the file supports comments and trailing commas
 */
export function jsonFormat(file: string, comments: boolean): EntryFormat {
  const json: JsonFile = { file, comments };

  function without(text: string, places: ReadonlyArray<readonly string[]>): unknown {
    const root = parse(json, text);
    return root === undefined ? undefined : places.reduce(withoutField, ownTables(getNodeValue(root)));
  }

  function get(text: string, keys: readonly string[]): unknown {
    const root = parse(json, text);
    if (root === undefined) return undefined;
    objectsTo(json, text, root, keys);
    const node = findNodeAtLocation(root, [...keys]);
    return node === undefined ? undefined : ownTables(getNodeValue(node));
  }

  /** Checks that an edit of the text changed the value as intended, and nothing else. */
  function checked(before: string, result: string, keys: readonly string[], entry: unknown, what: string): string {
    if (!isDeepStrictEqual(get(result, keys), entry) || !isDeepStrictEqual(without(result, [keys]), without(before, [keys])))
      throw byHand(file, what);
    return result;
  }

  return {
    get,
    without,
    set(text, keys, value) {
      const root = parse(json, text);
      const result = root === undefined ? begin(text, keys, value) : put(text, objectsTo(json, text, root, keys), keys, value);
      return checked(text, result, keys, value, `add "${keys.join('.')}"`);
    },
    remove(text, keys) {
      const root = parse(json, text);
      if (root === undefined) return text;
      const objects = objectsTo(json, text, root, keys);
      const object = objects[keys.length - 1];
      const field = object?.children?.find(({ children }) => children?.[0]?.value === keys.at(-1));
      if (object === undefined || field === undefined) return text;
      return checked(text, splice(text, removeField(text, object, field)), keys, undefined, `take "${keys.join('.')}" out`);
    },
  };
}
