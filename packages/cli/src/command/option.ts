/** How an option is written and read. Its name is the key it is declared under: `dryRun` is `--dry-run`. */
export interface Option<Value = unknown> {
  readonly description: string;
  /** One letter that stands for the name, as `w` for `-w`. */
  readonly short?: string;
  /** What stands for its value in help, such as `<dir>`; an option without one is a switch. */
  readonly placeholder?: string;
  /** What a value has to be, where not every text is one: `a number, such as 20`. */
  readonly expects?: string;
  /** What it is where it is not given. */
  readonly absent: Value;
  /** Makes the value of the text; undefined where it is none. */
  readonly parse: (text: string) => Value | undefined;
  /** Given several times, the values of a list add up. Of every other option the last one counts. */
  readonly addsUp?: boolean;
  /** Named in the short help, and described in the full one only. */
  readonly rare?: boolean;
}

/** Options by name. */
export type Options = Readonly<Record<string, Option>>;

/** What options hold once a command line is parsed. */
export type OptionValues<Declared extends Options> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Option<infer Value> ? Value : never;
};

type More = Pick<Option, 'short' | 'rare'>;

interface Parsing<Value> {
  readonly expects: string;
  readonly parse: (text: string) => Value | undefined;
}

/** An option that is on or off. */
export function flag(description: string, more: More = {}): Option<boolean> {
  return { description, absent: false, parse: () => true, ...more };
}

/** An option that takes a text. */
export function text(placeholder: string, description: string, more: More = {}): Option<string | undefined> {
  return { description, placeholder, absent: undefined, parse: (given) => given, ...more };
}

/** An option whose text has to make sense. */
export function parsed<Value>(placeholder: string, description: string, parsing: Parsing<Value>, more: More = {}): Option<Value | undefined> {
  return { description, placeholder, absent: undefined, ...parsing, ...more };
}

/** The words of a list with commas. */
export function words(given: string): string[] {
  return given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** An option that takes a list with commas, empty where it is not given. */
export function list(placeholder: string, description: string, more: More & Partial<Parsing<readonly string[]>> = {}): Option<readonly string[]> {
  return { description, placeholder, absent: [], parse: words, addsUp: true, ...more };
}

/** A number from one on. */
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

/** An option as help writes it: `-w, --workspace <dir>`. */
export function optionForm(name: string, { short, placeholder }: Option): string {
  const form = placeholder === undefined ? longFlag(name) : `${longFlag(name)} ${placeholder}`;
  return short === undefined ? form : `-${short}, ${form}`;
}

/** Options that the short help only names. */
export function rarely<Declared extends Options>(options: Declared): Declared {
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, rare: true }])) as unknown as Declared;
}
