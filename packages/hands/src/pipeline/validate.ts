import { isSynapseError, SynapseError } from '@synapse/protocol';
import type * as z from 'zod';
import { nearest } from '../text/nearest.ts';
import { describeInput } from '../tool/describe-input.ts';
import { stripNulls } from '../tool/strip-nulls.ts';
import type { AnyTool, FieldAliases } from '../tool/tool.ts';
import type { ResolvedCall, ValidCall } from '../call/call.ts';
import { displayText } from '../workspace/byte-name.ts';
import { copyInput, fieldPath, parseJsonText } from '../call/copy-input.ts';

type Fields = Record<string, unknown>;

/** Wrapper fields that models put all other fields into. */
const WRAPPERS: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'params', 'parameters']);
/** Longer names are ignored: no tool has such fields. */
const MAX_NAME = 64;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Normalizes a name, so that `filePath`, `File-Path` and `file_path` are equal. */
function folded(name: string): string {
  if (name.length > MAX_NAME) return name;
  const snake = name.trim().replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2');
  // A flag such as -i is not the same as a field named i.
  return snake.startsWith('-') ? snake : snake.toLowerCase().replaceAll(/[\s-]/gu, '_');
}

/** Renames aliases to the tool's fields. If an alias and its field are both given, both stay, and the alias is refused later. */
function renamed(input: Fields, names: Readonly<Record<string, string>>, own: ReadonlySet<string>): Fields {
  const result: Fields = { ...input };
  const others = Object.keys(input).filter((key) => !own.has(key));
  // Most calls use the tool's own names, and folding every alias takes longer than reading a small file.
  if (others.length === 0) return result;
  const byFold = new Map<string, string>([
    ...Object.entries(names).map(([alias, field]) => [folded(alias), field] as const),
    ...[...own].map((field) => [field, field] as const),
  ]);
  for (const key of others) {
    const field = byFold.get(folded(key));
    if (field === undefined || !isAbsent(result[field])) continue;
    result[field] = result[key];
    delete result[key];
  }
  return result;
}

/** The content of a wrapper, if there are no other fields. */
function unwrapped(input: Fields, own: ReadonlySet<string>): Fields {
  const [key, ...more] = Object.keys(input);
  if (key === undefined || more.length > 0 || own.has(key) || !WRAPPERS.has(key)) return input;
  const value = input[key];
  const inner = typeof value === 'string' && value.trimStart().startsWith('{') ? parseJsonText(value) : value;
  return isFields(inner) ? inner : input;
}

/** The name of an ignorable field, with the values for which it changes nothing; undefined if any value does. */
type Ignorable = readonly [name: string, values: readonly unknown[] | undefined];

function ignorable(ignored: NonNullable<FieldAliases['ignored']>): ReadonlyMap<string, Ignorable[1]> {
  return new Map(ignored.map((one): Ignorable => (typeof one === 'string' ? [folded(one), undefined] : [folded(one[0]), one.slice(1)])));
}

/** Drops the fields that change nothing, and adds their names to `dropped`. A value as text counts as the value. */
function withoutIgnored(given: Fields, ignored: ReadonlyMap<string, Ignorable[1]>, own: ReadonlySet<string>, dropped: Set<string>): Fields {
  const others = Object.keys(given).filter((key) => !own.has(key) && ignored.has(folded(key)));
  if (others.length === 0) return given;
  const result = { ...given };
  for (const key of others) {
    const values = ignored.get(folded(key));
    const value = result[key];
    if (values?.some((one) => one === value || String(one) === String(value).toLowerCase()) === false && !isAbsent(value)) continue;
    delete result[key];
    dropped.add(key.slice(0, MAX_NAME));
  }
  return result;
}

/** A single value given instead of a list. */
function listed(value: unknown): unknown {
  return isFields(value) ? [value] : value;
}

/**
 * Replaces the field names of other systems with those of the tool, in plain data.
 *
 * @param own names of the tool's fields
 * @param dropped receives the names of fields that change nothing
 */
function acceptAliases(input: unknown, aliases: FieldAliases, own: ReadonlySet<string>, dropped: Set<string>): unknown {
  if (!isFields(input)) return input;
  const { fields = {}, items, meant } = aliases;
  const ignored = ignorable(aliases.ignored ?? []);
  const given = unwrapped(input, own);
  let result = withoutIgnored(renamed(given, fields, own), ignored, own, dropped);
  if (items !== undefined) {
    const { list, fields: names } = items;
    const inner = new Set(Object.values(names));
    const flat = renamed(result, names, new Set([...own, ...inner]));
    const held = [...inner].filter((name) => Object.hasOwn(flat, name));
    if (held.length > 0 && isAbsent(result[list])) {
      result = { ...flat, [list]: [Object.fromEntries(held.map((name) => [name, flat[name]]))] };
      for (const name of held) delete result[name];
    }
    const many = listed(result[list]);
    if (Array.isArray(many))
      result[list] = many.map((item: unknown) => (isFields(item) ? withoutIgnored(renamed(item, names, inner), ignored, inner, dropped) : item));
  }
  return meant === undefined ? result : { ...meant(result) };
}

type Issue = z.core.$ZodIssue;
type ParsedTool = Pick<AnyTool, 'name' | 'input' | 'aliases' | 'inputSchema'>;

const MAX_ISSUES = 5;
/** What zod calls a missing field, by kind of schema. */
const NOT_THERE: ReadonlySet<Issue['code']> = new Set(['invalid_type', 'invalid_union', 'invalid_value']);

/** The value at a path of an input; undefined if it is missing. */
function valueAt(input: unknown, path: ReadonlyArray<PropertyKey>): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    input,
  );
}

function explain(issue: Issue, input: unknown, fields: readonly string[], advice: NonNullable<FieldAliases['advice']>): string {
  const field = fieldPath(issue.path) || 'the arguments';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .map((key) => {
        const better = Object.hasOwn(advice, key) ? advice[key] : undefined;
        const told = typeof better === 'function' ? better(valueAt(input, [...issue.path, key])) : better;
        if (told !== undefined) return `unknown field ${fieldPath([...issue.path, key])}: ${told}`;
        const near = issue.path.length === 0 ? nearest(key, fields) : [];
        return `unknown field ${fieldPath([...issue.path, key])}${near.length > 0 ? ` (did you mean ${near.join(' or ')}?)` : ''}`;
      })
      .join('; ');
  }
  if (NOT_THERE.has(issue.code) && valueAt(input, issue.path) === undefined && issue.path.length > 0) return `${field} is missing`;
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input') return `${field}: has none of the forms it may have`;
  const text = issue.message.replace(/^Invalid input: /u, '').replace(/^(Too (?:big|small)): /u, '');
  return `${field}: ${text}`;
}

/** A list or an object in a text. Any other text is not meant as JSON. */
function jsonIn(text: string): unknown {
  return /^\s*[[{]/u.test(text) ? parseJsonText(text) : undefined;
}

const NUMBER = /^-?\d{1,15}(?:\.\d+)?$/u;

/** Converts common mistakes of models, such as a list as JSON text or a number in quotes. Undefined for anything else. */
const MEANT: Readonly<Record<string, (text: string) => unknown>> = {
  array: jsonIn,
  object: jsonIn,
  number: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  int: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

function meantBy(value: unknown, expected: string): unknown {
  if (typeof value === 'string') return MEANT[expected]?.(value);
  // A list with a single text, for a field that expects a text.
  const [only, ...more]: unknown[] = Array.isArray(value) ? value : [];
  return expected === 'string' && typeof only === 'string' && more.length === 0 ? only : undefined;
}

/**
 * Repairs each refused field once: removes a null, such as strict providers make models send, and converts a value that was sent
 * as another type. Changes one copy: a copy for each field would take a minute for a long list.
 */
function repair(input: unknown, issues: readonly Issue[]): unknown {
  const copy = structuredClone(input);
  let repaired = false;
  for (const issue of issues) {
    const key = issue.path.at(-1);
    const holder = valueAt(copy, issue.path.slice(0, -1));
    if (key === undefined || typeof holder !== 'object' || holder === null) continue;
    const fields = holder as Record<PropertyKey, unknown>;
    const meant = issue.code === 'invalid_type' ? meantBy(fields[key], issue.expected) : undefined;
    if (meant !== undefined) fields[key] = meant;
    else if (fields[key] === null && !Array.isArray(holder)) delete fields[key];
    else continue;
    repaired = true;
  }
  return repaired ? copy : undefined;
}

/**
 * Checks and parses an input. The input is copied first, so that it cannot change later.
 *
 * @param notes receives what was understood in another way than it was written
 * @throws SynapseError `invalid_arguments` naming the fields
 */
export function parseInput(tool: ParsedTool, given: unknown, notes: string[] = []): Record<string, unknown> {
  const input = typeof given === 'string' ? fromText(tool, given) : copyInput(given ?? {});
  // A server's schema is checked only in part here, and a null would reach a server that does not allow nulls.
  const cleaned = tool.inputSchema === undefined ? input : stripNulls(input, tool.inputSchema);
  const asGiven = parsedAsGiven(tool, cleaned);
  if (asGiven !== undefined) return asGiven;
  const dropped = new Set<string>();
  const parsed = parse(tool, ownNames(tool, cleaned, dropped), dropped);
  if (dropped.size > 0) notes.push(ignoredNote([...dropped]));
  return parsed;
}

/** Maximum number of ignored fields to name. */
const MAX_IGNORED = 4;

function ignoredNote(names: readonly string[]): string {
  const shown = names.slice(0, MAX_IGNORED).map((name) => displayText(name));
  const more = names.length > MAX_IGNORED ? [`${names.length - MAX_IGNORED} more`] : [];
  return `Ignored, with no effect here: ${[...shown, ...more].join(', ')}.`;
}

/** Parses a valid input with the tool's own names, which most calls have, without a search for other names; undefined otherwise. */
function parsedAsGiven({ aliases, input }: ParsedTool, given: unknown): Record<string, unknown> | undefined {
  if (aliases === undefined || !isFields(given)) return undefined;
  const { shape } = input;
  for (const name of Object.keys(given)) if (!Object.hasOwn(shape, name)) return undefined;
  return input.safeParse(given).data;
}

function fromText(tool: Pick<AnyTool, 'name' | 'input'>, text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    throw new SynapseError(error.code, error.message, { hint: `Send a JSON object: ${describeInput(tool)}`, cause: error });
  }
}

function ownNames({ aliases, input: { shape } }: Pick<AnyTool, 'aliases' | 'input'>, input: unknown, dropped: Set<string>): unknown {
  return aliases === undefined ? input : acceptAliases(input, aliases, new Set(Object.keys(shape)), dropped);
}

function parse(tool: ParsedTool, input: unknown, dropped: Set<string>): Record<string, unknown> {
  const first = tool.input.safeParse(input);
  if (first.success) return first.data;
  const repaired = repair(input, first.error.issues);
  const last = repaired === undefined ? first : tool.input.safeParse(ownNames(tool, repaired, dropped));
  if (last.success) return last.data;
  const { issues } = last.error;
  const fields = Object.keys(tool.input.shape);
  const told = issues.slice(0, MAX_ISSUES).map((issue) => explain(issue, repaired ?? input, fields, tool.aliases?.advice ?? {}));
  throw new SynapseError('invalid_arguments', `${tool.name}: ${told.join('; ')}.`, {
    hint: `The valid form is ${describeInput(tool)}`,
    details: { fields: issues.slice(0, MAX_ISSUES).map((issue) => fieldPath(issue.path)) },
  });
}

/** Checks and parses the input before any access to files or processes. Later stages only see the parsed value. */
export function validate(call: ResolvedCall): ValidCall {
  return { ...call, arguments: parseInput(call.tool, call.input, call.state.notes) };
}
