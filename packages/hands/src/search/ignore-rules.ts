/** A rule of an ignore file, in parts. */
interface Rule {
  /** `!`, or nothing. */
  readonly sign: string;
  /** The pattern, without a leading slash. */
  readonly body: string;
  /** Whether the pattern counts from the folder of the file. Others match a name at any depth below it. */
  readonly anchored: boolean;
}

/** Maximum number of characters of a rule: as many as a path can have. */
const MAX_RULE = 4_096;

/** Parses one line as ripgrep does; undefined for a comment, an empty line, and what is not text. */
function parseRule(line: string): Rule | undefined {
  if (line.startsWith('#') || line.length > MAX_RULE || /[\0\uFFFD]/u.test(line)) return undefined;
  const trimmed = line.endsWith('\\ ') ? line : line.trimEnd();
  const sign = trimmed.startsWith('!') ? '!' : '';
  const pattern = trimmed.slice(sign.length).replace(/^\\(?=[!#])/u, '');
  const body = pattern.replace(/^\//u, '');
  if (body === '') return undefined;
  return { sign, body, anchored: body !== pattern || body.slice(0, -1).includes('/') };
}

function rulesIn(text: string): Rule[] {
  return text
    .replace(/^\uFEFF/u, '')
    .split(/\r?\n/u)
    .flatMap((line) => parseRule(line) ?? []);
}

/** Escapes a name, so that a pattern matches nothing else. */
const escaped = (name: string): string => name.replaceAll(/[\\*?[\]{}]/gu, String.raw`\$&`);

/**
 * Writes the rules of an ignore file as rules of a folder above it; undefined if a name on the way cannot be written in a rule.
 *
 * @param names the way from that folder to the file's own
 */
export function rulesFromBelow(text: string, names: readonly string[]): string[] | undefined {
  if (names.some((name) => /[\n\r\uFFFD]/u.test(name))) return undefined;
  const prefix = names.map((name) => `/${escaped(name)}`).join('');
  return rulesIn(text).map(({ sign, body, anchored }) => `${sign}${prefix}/${anchored ? '' : '**/'}${body}`);
}

/** Splits the pattern of a name into parts that each match one character, or any number of them (`*`). */
const PARTS = /\\.|\[[!^]?\]?[^\]]*\]|[\s\S]/gu;

function matchesOne(part: string, character: string): boolean {
  if (part === '?') return true;
  if (part.length > 2 && part.startsWith('['))
    return new RegExp(
      `^[${part
        .slice(1, -1)
        .replace(/^!/u, '^')
        .replaceAll(/[[\]\\]/gu, String.raw`\$&`)}]$`,
      'u',
    ).test(character);
  return (part.startsWith('\\') ? part.slice(1) : part) === character;
}

/** Whether a pattern matches a name. Goes back to the last star only, so that no pattern takes long. */
function matchesName(pattern: string, name: string): boolean {
  const [parts, characters] = [pattern.match(PARTS) ?? [], Array.from(name)];
  let [at, star, retry] = [0, -1, 0];
  for (let index = 0; index < characters.length;) {
    const part = parts[at];
    if (part === '*') {
      [star, retry] = [at, index];
      at += 1;
    } else if (part !== undefined && matchesOne(part, characters[index] ?? '')) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      retry += 1;
      [at, index] = [star + 1, retry];
    } else return false;
  }
  return parts.slice(at).every((part) => part === '*');
}

/** Returns what is left of a pattern below some folders: one pattern for each way in which it can match them. */
function leftOf(parts: readonly string[], names: readonly string[]): string[] {
  const withSkipped = (states: readonly number[]): number[] => [
    ...new Set(states.flatMap((state) => (parts[state] === '**' ? [state, state + 1] : [state]))),
  ];
  let states = withSkipped([0]);
  for (const name of names) {
    const next = states.flatMap((state) => {
      const part = parts[state];
      if (part === '**') return [state];
      return part !== undefined && matchesName(part, name) ? [state + 1] : [];
    });
    states = withSkipped(next);
  }
  return states.map((state) => parts.slice(state).join('/')).filter((left) => left !== '');
}

/**
 * Writes the rules of an ignore file as rules of a folder below it.
 *
 * @param names the way from the file's own folder to that one
 */
export function rulesFromAbove(text: string, names: readonly string[]): string[] {
  return rulesIn(text).flatMap(({ sign, body, anchored }) =>
    anchored ? leftOf(body.replaceAll(/(?:\*\*\/){2,}/gu, '**/').split('/'), names).map((left) => `${sign}/${left}`) : [`${sign}**/${body}`],
  );
}
