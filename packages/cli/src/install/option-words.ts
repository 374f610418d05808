import { OPTIONS } from '../option-table.ts';
import type { CommandOptions } from '../command.ts';

/** The words of a command line that mean these options again; what was not given is left out. */
export function optionWords(options: CommandOptions, names: readonly (keyof CommandOptions)[]): string[] {
  return names.flatMap((name) => {
    const value = options[name];
    const flag = /--[a-z-]+/u.exec(OPTIONS[name].flags)?.[0];
    if (flag === undefined || value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return [];
    return value === true ? [flag] : [flag, value instanceof Date ? value.toISOString() : String(value)];
  });
}
