import { nearest } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { longFlag, type Option, type Options, type OptionValues } from './option.ts';

/** Positional arguments with their descriptions, written `<required>` or `[optional]`; the last may be `[several...]`. */
export type Arguments = Readonly<Record<string, string>>;

/** The values of arguments: strings; optional ones may be missing, and several are a list. */
export type ArgumentValues<Declared extends Arguments> = {
  readonly [
    Form in keyof Declared as Form extends `<${infer Name}>`
      ? Name
      : Form extends `[${infer Name}...]`
        ? Name
        : Form extends `[${infer Name}]`
          ? Name
          : never
  ]: Form extends `<${string}>` ? string : Form extends `[${string}...]` ? readonly string[] : string | undefined;
};

/** The commands that work on another machine. A test compares them with their declarations. */
export const WITH_REMOTE: readonly string[] = ['call', 'tools', 'run', 'chat', 'resume', 'mcp', 'changes', 'undo', 'jobs forward'];

/** Maximum characters of a word in an error. */
const SHOWN = 100;

function wrong(message: string, hint: string): SynapseError {
  return new SynapseError('invalid_arguments', message, { hint });
}

/** An option in a command line. */
interface Found {
  /** As it was typed, without a value. */
  readonly written: string;
  readonly name: string;
  readonly option: Option;
  /** An attached value: `--limit=3`, `-n3`. */
  readonly joined?: string;
}

function findLong(word: string, options: Options): Found {
  const at = word.indexOf('=');
  const written = at === -1 ? word : word.slice(0, at);
  const [name, option] = Object.entries(options).find(([key]) => longFlag(key) === written) ?? [];
  if (name !== undefined && option !== undefined) return { written, name, option, ...(at === -1 ? {} : { joined: word.slice(at + 1) }) };
  const flags = Object.keys(options).map(longFlag);
  const near = nearest(written, flags);
  if (written === '--remote')
    throw wrong(
      'This command has no --remote.',
      `Run it on that machine. From here, these work: ${WITH_REMOTE.map((command) => `synapse ${command}`).join(', ')}.`,
    );
  throw wrong(
    `Unknown option: ${written.slice(0, SHOWN)}`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The options are: ${[...flags, '--help'].join(', ')}.`,
  );
}

/** Splits `-yq` or `-n3`: all letters but the last are flags. */
function findShort(word: string, options: Options): Found[] {
  const found: Found[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const [name, option] = Object.entries(options).find(([, { short }]) => short === letter) ?? [];
    if (name === undefined || option === undefined) throw wrong(`Unknown option: -${letter}`, 'Use --help to see the options.');
    const rest = word.slice(at + 1);
    const takesRest = option.placeholder !== undefined && rest !== '';
    found.push({ written: `-${letter}`, name, option, ...(takesRest ? { joined: rest } : {}) });
    if (takesRest) break;
  }
  return found;
}

function valueOf({ written, option }: Found, given: string | undefined): unknown {
  const { placeholder, expects } = option;
  if (placeholder === undefined) {
    if (given === undefined) return option.parse('');
    throw wrong(`${written} takes no value: ${given.slice(0, SHOWN)}`, `Write ${written} alone.`);
  }
  // A following flag is a flag, not a value; a value that starts with a dash can be attached.
  if (given === undefined) throw wrong(`${written} needs a value: ${placeholder}`, `Write ${written} ${placeholder}, or ${written}=${placeholder}.`);
  const value = option.parse(given);
  if (value === undefined) throw wrong(`Invalid value for ${written}: ${given.slice(0, SHOWN)}`, `It takes ${expects ?? placeholder}.`);
  return value;
}

const takesSeveral = (form: string | undefined): boolean => form?.endsWith('...]') === true;

function assign(forms: readonly string[], given: readonly string[]): Record<string, string | readonly string[]> {
  const last = forms.at(-1);
  if (last !== undefined && takesSeveral(last)) {
    const single = forms.slice(0, -1);
    return { ...assign(single, given.slice(0, single.length)), [last.slice(1, -4)]: given.slice(single.length) };
  }
  const extra = given[forms.length];
  if (extra !== undefined) {
    throw wrong(
      `Too many arguments: ${extra.slice(0, SHOWN)}`,
      forms.length === 0 ? 'It takes none. Quote a text that has spaces.' : `It takes ${forms.join(' ')}. Quote a text that has spaces.`,
    );
  }
  const missing = forms[given.length];
  if (missing?.startsWith('<') === true) throw wrong(`Missing argument: ${missing}`, 'Use --help to see what it takes.');
  return Object.fromEntries(given.map((value, index) => [forms[index]?.slice(1, -1) ?? '', value]));
}

/** Whether the next word is the value of an option. */
const takesAlso = ({ option, joined }: ReturnType<typeof findLong>, next: string | undefined): boolean =>
  option.placeholder !== undefined && joined === undefined && next !== undefined && !next.startsWith('--');

/**
 * Parses what follows the name of a command. `--` ends the options.
 *
 * @throws SynapseError `invalid_arguments` with a hint
 */
export function parseWords<DeclaredArguments extends Arguments, DeclaredOptions extends Options>(
  words: readonly string[],
  declared: { readonly arguments: DeclaredArguments; readonly options: DeclaredOptions },
): { arguments: ArgumentValues<DeclaredArguments>; options: OptionValues<DeclaredOptions> } {
  const values: Record<string, unknown> = Object.fromEntries(Object.entries(declared.options).map(([name, { absent }]) => [name, absent]));
  const given: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') {
      given.push(...words.slice(index + 1));
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      given.push(word);
      continue;
    }
    for (const found of word.startsWith('--') ? [findLong(word, declared.options)] : findShort(word, declared.options)) {
      const next = words[index + 1];
      const takesNext = takesAlso(found, next);
      if (takesNext) index += 1;
      const value = valueOf(found, takesNext ? next : found.joined);
      const before = values[found.name];
      values[found.name] = found.option.addsUp === true && Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  }
  return {
    arguments: assign(Object.keys(declared.arguments), given) as ArgumentValues<DeclaredArguments>,
    options: values as OptionValues<DeclaredOptions>,
  };
}
