import { SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';

/**
 * Says what is wrong with a value; undefined if nothing is. Own functions instead of schemas: these would take 9 ms of the start of each
 * program, and a program that makes one call takes 150.
 *
 * @param at what the value is called in errors
 */
export type Check = (value: unknown, at: string) => string | undefined;

const MAX_SHOWN = 64;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A check by a condition. */
export const satisfying =
  (expected: string, isValid: (value: unknown) => boolean): Check =>
  (value, at) =>
    isValid(value)
      ? undefined
      : `${at}: expected ${expected}, not ${typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_SHOWN)) : kindOf(value)}`;

export const text = satisfying('a text', (value) => typeof value === 'string');
export const flag = satisfying('true or false', (value) => typeof value === 'boolean');
export const callback = satisfying('a function', (value) => typeof value === 'function');
export const signal = satisfying('an AbortSignal', (value) => value instanceof AbortSignal);
/** Infinity is a limit too. */
export const amount = satisfying('a number from 0', (value) => typeof value === 'number' && value >= 0);
export const whole = satisfying('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const positive = satisfying('a whole number from 1', (value) => Number.isInteger(value) && Number(value) >= 1);
/** What is checked where it is used. */
export const anything: Check = () => undefined;

export const oneOf = (words: readonly string[]): Check =>
  satisfying(words.map((word) => JSON.stringify(word)).join(' or '), (value) => words.some((word) => word === value));

/** An object with these methods. */
export const withMethods = (expected: string, ...names: readonly string[]): Check =>
  satisfying(expected, (value) => isRecord(value) && names.every((name) => typeof value[name] === 'function'));

export const optional =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? undefined : check(value, at);

export const listOf =
  (check: Check): Check =>
  (value, at) =>
    Array.isArray(value)
      ? firstOf(value.entries(), ([index, item]) => check(item, `${at}[${index}]`))
      : `${at}: expected a list, not ${kindOf(value)}`;

/** An object whose names can be any. */
export const record =
  (check: Check): Check =>
  (value, at) =>
    isRecord(value)
      ? firstOf(Object.entries(value), ([name, item]) => check(item, `${at}.${name}`))
      : `${at}: expected an object, not ${kindOf(value)}`;

/** A check that is passed if one of these is. */
export const either = (expected: string, ...checks: readonly Check[]): Check =>
  satisfying(expected, (value) => checks.some((check) => check(value, '') === undefined));

/** The checks of an object by its fields, for suggestions. */
const FIELDS = new WeakMap<Check, Readonly<Record<string, Check>>>();

/** An object with no other fields than these, each of which may be undefined if it is {@link optional}. */
export function fields(checks: Readonly<Record<string, Check>>): Check {
  const check: Check = (value, at) => {
    if (!isRecord(value)) return `${at}: expected an object, not ${kindOf(value)}`;
    return (
      firstOf(Object.keys(value), (name) => (Object.hasOwn(checks, name) ? undefined : unknownField(name, at, checks))) ??
      firstOf(Object.entries(checks), ([name, ofField]) => ofField(value[name], `${at}.${name}`))
    );
  };
  FIELDS.set(check, checks);
  return check;
}

/** The same for one that may be undefined. */
export function maybeFields(checks: Readonly<Record<string, Check>>): Check {
  const check = optional(fields(checks));
  FIELDS.set(check, checks);
  return check;
}

function unknownField(name: string, at: string, checks: Readonly<Record<string, Check>>): string {
  // What belongs one level deeper, such as `mode` in `policy`, is not close to any other name.
  const deeper = Object.entries(checks).find(([, inner]) => Object.hasOwn(FIELDS.get(inner) ?? {}, name));
  const near = deeper === undefined ? nearest(name, Object.keys(checks)).slice(0, 1) : [`${deeper[0]}.${name}`];
  const help = near.length > 0 ? `did you mean ${near.join('')}?` : `it can have ${Object.keys(checks).join(', ')}`;
  return `${at} has no ${JSON.stringify(name.slice(0, MAX_SHOWN))} (${help})`;
}

function firstOf<Item>(items: Iterable<Item>, problemOf: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Checks a value from a program that may have no types. An option that is misspelled would not count, and nothing would say so.
 *
 * @param where the function that got it
 * @param name of the value, in errors
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export function assertGiven(where: string, name: string, check: Check, given: unknown): void {
  const problem = check(given, name);
  if (problem !== undefined) throw new SynapseError('invalid_arguments', `${where}: ${problem}.`);
}
