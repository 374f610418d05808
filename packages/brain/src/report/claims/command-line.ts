/** A simple command of a shell line. */
export interface CommandPart {
  /** Its words, without quotes, variables set for it, and wrappers such as `timeout 60`. */
  readonly words: readonly string[];
  /** The folder it runs in, relative to that of the line; undefined if that is only known when it runs. */
  readonly folder: string | undefined;
  /** Whether the exit code of the line is zero only if this command succeeded. */
  readonly counts: boolean;
}

/** An operator between commands. */
type Operator = '&&' | '||' | '|' | ';' | '&' | '';

interface Piece {
  readonly words: string[];
  /** What follows it. */
  operator: Operator;
}

const OPERATOR = /^(?:&&|\|\||\|&|[|;&\n])/u;
/** A redirection with its target. */
const REDIRECTION = /^(?:\d*|&)(?:>>?\|?|<<?<?)(?:&\d|&-|\s*(?:"[^"]*"|'[^']*'|[^\s;&|]+))?/u;

/** Reads a word with its quotes; returns its text and length. */
function readWord(line: string, start: number): { readonly text: string; readonly end: number } {
  let [text, at] = ['', start];
  while (at < line.length && !/[\s;&|<>()]/u.test(line[at] ?? '')) {
    const character = line[at] ?? '';
    if (character === "'" || character === '"') {
      const close = line.indexOf(character, at + 1);
      const end = close === -1 ? line.length : close;
      text += line.slice(at + 1, end);
      at = end + 1;
    } else if (character === '\\') {
      text += line[at + 1] ?? '';
      at += 2;
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, end: at };
}

const operatorOf = (text: string): Operator => (text === '\n' ? ';' : text === '|&' ? '|' : (text as Operator));
const commentLength = (rest: string): number => /^[^\n]*/u.exec(rest)?.[0].length ?? 1;

/** Splits a line into commands. Undefined if it uses what is not read here, such as loops: then nothing is known of its exit code. */
function pieces(line: string): Piece[] | undefined {
  const found: Piece[] = [{ words: [], operator: '' }];
  for (let at = 0; at < line.length;) {
    const rest = line.slice(at);
    const last = found.at(-1);
    if (last === undefined) return undefined;
    const redirected = REDIRECTION.exec(rest)?.[0];
    const operator = OPERATOR.exec(rest)?.[0];
    if (redirected !== undefined) at += redirected.length;
    else if (operator !== undefined) {
      at += operator.length;
      if (last.words.length === 0) {
        // An empty line; any other operator without a command is an error.
        if (operator === '\n' || operator === ';') continue;
        return undefined;
      }
      last.operator = operatorOf(operator);
      found.push({ words: [], operator: '' });
    } else if (/^[ \t\r]/u.test(rest)) at += 1;
    else if (rest.startsWith('#')) at += commentLength(rest);
    else if (/^[()]/u.test(rest)) return undefined;
    else {
      const { text, end } = readWord(line, at);
      last.words.push(text);
      at = Math.max(end, at + 1);
    }
  }
  return found.filter(({ words }) => words.length > 0);
}

/** Words that begin what only a shell understands. */
const CONTROL: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'function',
  '{',
  '}',
  '!',
  'eval',
  'trap',
]);
/** Programs that run the command that follows them, with the number of their own operands. */
const WRAPPERS: Readonly<Record<string, number>> = {
  time: 0,
  timeout: 1,
  nice: 0,
  env: 0,
  command: 0,
  exec: 0,
  nohup: 0,
  stdbuf: 0,
  xvfb: 0,
  'xvfb-run': 0,
  sudo: 0,
  npx: 0,
  bunx: 0,
  pnpx: 0,
  'pnpm-exec': 0,
};
const ASSIGNMENT = /^[A-Za-z_]\w*=/u;
const PACKAGE_EXEC: ReadonlyArray<readonly string[]> = [
  ['npm', 'exec'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'exec'],
  ['yarn', 'dlx'],
  ['bun', 'x'],
  ['bundle', 'exec'],
  ['poetry', 'run'],
  ['uv', 'run'],
  ['pipenv', 'run'],
  ['hatch', 'run'],
  ['rye', 'run'],
];

/** Removes what is before the program that is meant. */
function withoutWrappers(given: readonly string[]): string[] {
  let words = [...given];
  for (let tries = 0; tries < 8; tries += 1) {
    while (ASSIGNMENT.test(words[0] ?? '')) words = words.slice(1);
    const operands = Object.hasOwn(WRAPPERS, words[0] ?? '') ? WRAPPERS[words[0] ?? ''] : undefined;
    const executing = PACKAGE_EXEC.find((start) => start.every((word, at) => words[at] === word));
    if (operands === undefined && executing === undefined) return words;
    words = words.slice(executing?.length ?? 1);
    while (words[0]?.startsWith('-') === true) words = words.slice(1);
    words = words.slice(operands ?? 0);
  }
  return words;
}

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash']);

/** The command line of `bash -c '…'`; undefined for other commands. */
function innerLine(words: readonly string[]): string | undefined {
  if (!SHELLS.has(words[0] ?? '')) return undefined;
  const at = words.findIndex((word) => /^-[a-z]*c$/u.test(word));
  return at === -1 ? undefined : words[at + 1];
}

const joined = (folder: string, below: string): string | undefined => {
  if (/[$`*~]/u.test(below) || below.startsWith('/') || below === '-') return undefined;
  const names = folder === '.' ? [] : folder.split('/');
  for (const name of below.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.length === 0 ? '.' : names.join('/');
};

/** Whether what follows `||` fails, so that the line fails as the command did. */
const keepsFailing = (words: readonly string[]): boolean =>
  words[0] === 'false' || (words[0] === 'exit' && words[1] !== undefined && words[1] !== '0');

/** Whether a command ends the line as the one directly before it ended. */
const passesOn = (words: readonly string[]): boolean => words[0] === 'exit' && words[1] === '$?';

interface ShellOptions {
  pipefail: boolean;
  errexit: boolean;
}

/** After `&&`, the next command is skipped if one fails, and so on up to an `||` or the end. */
const skipsNext = (operator: Piece['operator'], { pipefail }: ShellOptions): boolean => operator === '&&' || (operator === '|' && pipefail);

/** Whether the failure of a command makes the line fail: what follows must not hide it. */
function failsLine(all: readonly Piece[], at: number, options: Readonly<ShellOptions>): boolean {
  for (let index = at; ; index += 1) {
    const operator = all[index]?.operator ?? '';
    const next = all[index + 1];
    if (operator === '') return true;
    if (skipsNext(operator, options)) continue;
    if (operator === '||') return next !== undefined && keepsFailing(next.words) && (next.operator === '' || failsLine(all, index + 1, options));
    return operator === ';' && (next === undefined || (index === at && (options.errexit || passesOn(next.words))));
  }
}

/** Follows a `set` of options. */
function setOptions(options: ShellOptions, words: readonly string[]): void {
  options.pipefail ||= words.includes('pipefail');
  options.errexit ||= words.some((word) => /^-[a-z]*e/u.test(word));
}

/** Reads the commands of a shell line, and which of them its exit code speaks for. */
export function commandParts(line: string, folder = '.'): CommandPart[] {
  const all = pieces(line);
  if (all === undefined || all.some(({ words }) => CONTROL.has(words[0] ?? ''))) {
    // Each command may have run, and nothing is known of how it ended.
    return line.split(/&&|\|\||[;|\n&(){}]/u).map((part) => ({
      words: withoutWrappers(
        part
          .trim()
          .split(/\s+/u)
          .filter((word) => !CONTROL.has(word)),
      ),
      folder: undefined,
      counts: false,
    }));
  }
  const parts: CommandPart[] = [];
  let here: string | undefined = folder;
  const options = { pipefail: false, errexit: false };
  for (const [at, { words: given, operator }] of all.entries()) {
    const words = withoutWrappers(given);
    if (words[0] === 'set') {
      setOptions(options, words);
      continue;
    }
    if ((words[0] === 'cd' || words[0] === 'pushd') && operator !== '|') {
      here = here === undefined ? undefined : joined(here, words[1] ?? '~');
      continue;
    }
    const counts = operator !== '&' && failsLine(all, at, options);
    const inner = innerLine(words);
    if (inner === undefined) parts.push({ words, folder: here, counts });
    else {
      const isPipefail = words.includes('pipefail') ? 'set -o pipefail; ' : '';
      parts.push(...commandParts(isPipefail + inner, here ?? '.').map((part) => ({ ...part, counts: counts && part.counts })));
    }
  }
  return parts;
}
