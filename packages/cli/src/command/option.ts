/** An option of the command line. Its name is the key it is declared under: `dryRun` is `--dry-run`. */
export interface Option<Value = unknown> {
  readonly description: string;
  /** A one-letter alias, such as `w` for `-w`. */
  readonly short?: string;
  /** The placeholder of its value in help, such as `<dir>`; undefined for a flag. */
  readonly placeholder?: string;
  /** Describes valid values, if not every text is one: `a number, such as 20`. */
  readonly expects?: string;
  /** The default value. */
  readonly absent: Value;
  /** Parses the text; undefined if it is invalid. */
  readonly parse: (text: string) => Value | undefined;
  /** Whether repeated values add up; otherwise the last one counts. */
  readonly addsUp?: boolean;
  /** Only named in the short help, and described in the full help. */
  readonly rare?: boolean;
}

/** Options by name. */
export type Options = Readonly<Record<string, Option>>;

/** The parsed values of options. */
export type OptionValues<Declared extends Options> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Option<infer Value> ? Value : never;
};

type More = Pick<Option, 'short' | 'rare'>;

interface Parsing<Value> {
  readonly expects: string;
  readonly parse: (text: string) => Value | undefined;
}

/** A boolean option. */
export function flag(description: string, more: More = {}): Option<boolean> {
  return { description, absent: false, parse: () => true, ...more };
}

/** An option with a text value. */
export function text(placeholder: string, description: string, more: More = {}): Option<string | undefined> {
  return { description, placeholder, absent: undefined, parse: (given) => given, ...more };
}

/** An option with a parsed value. */
export function parsed<Value>(placeholder: string, description: string, parsing: Parsing<Value>, more: More = {}): Option<Value | undefined> {
  return { description, placeholder, absent: undefined, ...parsing, ...more };
}

/** Splits a comma-separated list. */
export function words(given: string): string[] {
  return given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** An option with a comma-separated list; empty by default. */
export function list(placeholder: string, description: string, more: More & Partial<Parsing<readonly string[]>> = {}): Option<readonly string[]> {
  return { description, placeholder, absent: [], parse: words, addsUp: true, ...more };
}

/** Parses a positive integer. */
export function count(example: number, what = 'a number'): Parsing<number> {
  return {
    expects: `${what}, such as ${example}`,
    parse: (given) => {
      const value = Number(given);
      return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
    },
  };
}

/** The long flag of an option: `dryRun` is written `--dry-run`. */
export function longFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An option in help: `-w, --workspace <dir>`. */
export function optionForm(name: string, { short, placeholder }: Option): string {
  const form = placeholder === undefined ? longFlag(name) : `${longFlag(name)} ${placeholder}`;
  return short === undefined ? form : `-${short}, ${form}`;
}

/** Options that are only named in the short help. */
export function rarely<Declared extends Options>(options: Declared): Declared {
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, rare: true }])) as unknown as Declared;
}
