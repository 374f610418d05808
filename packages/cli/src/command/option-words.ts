import { longFlag, type Options } from './option.ts';

type Value = string | number | boolean | readonly string[] | undefined;

/** The words of a command line that mean these options again; what was not given is left out. */
export function optionWords<Declared extends Options>(declared: Declared, values: { readonly [Name in keyof Declared]: Value }): string[] {
  return Object.keys(declared).flatMap((name) => {
    const value = values[name];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return [];
    return value === true ? [longFlag(name)] : [longFlag(name), String(value)];
  });
}
