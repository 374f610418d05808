import { assignmentReason } from './environment-names.ts';
import type { KnownWord } from './command-pattern.ts';
import type { EffectsDraft, Exec } from './effects.ts';
import { interpreterReason, isLauncher } from './interpreters.ts';
import { programEffects } from './program-effects.ts';
import { programFamily, programName } from './program-name.ts';
import { PROGRAMS } from './programs.ts';
import { sameCommands } from './same-commands.ts';
import { unwrap } from './wrappers.ts';

/** A simple command after its words are read. */
export interface ExecInput {
  readonly words: readonly KnownWord[];
  /** As written. */
  readonly text: string;
  /** Whether something is fed to it. */
  readonly piped: boolean;
  /** Whether an unknown word may turn into several, or into options. */
  readonly splits: boolean;
}

const SHELLS = new Set(['sh', 'bash', 'rbash', 'zsh', 'dash', 'ash', 'ksh', 'mksh', 'yash', 'fish', 'csh', 'tcsh', 'su', 'runuser']);
const MAX_WRAPPERS = 16;
/** Characters of a word in which commands are looked for. */
const MAX_LENGTH = 4_000;

/** The text that `sh -c` runs; null where it is only known at run time, undefined where there is none. */
function shellText(words: readonly KnownWord[]): string | null | undefined {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) return null;
    if (/^-[a-zA-Z]*c$|^--command$/u.test(word)) {
      let text = index + 1;
      while (words[text]?.startsWith('-') === true) text += 1;
      return text >= words.length ? undefined : (words[text] ?? null);
    }
    if (word.startsWith('--command=')) return word.slice('--command='.length);
  }
  return undefined;
}

/** Commands between `-exec` and its end. */
function findCommands(words: readonly KnownWord[]): KnownWord[][] {
  const found: KnownWord[][] = [];
  for (let index = 0; index < words.length; index += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/u.test(words[index] ?? '')) continue;
    const rest = words.slice(index + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    // The name that find puts in is not known.
    found.push((end === -1 ? rest : rest.slice(0, end)).map((word) => (word?.includes('{}') === true ? undefined : word)));
  }
  return found;
}

/** Words of options before the subcommand that are looked through. */
const MAX_LEADING = 8;

/** `npm --silent publish` without what stands before the subcommand: each word that may be it. */
function withoutLeadingOptions(words: readonly KnownWord[]): Array<readonly KnownWord[]> {
  const forms: Array<readonly KnownWord[]> = [];
  for (let index = 1; index < Math.min(words.length - 1, MAX_LEADING); index += 1) {
    // `cargo +nightly` names a toolchain.
    const isOption = words[index]?.startsWith('-') === true || (index === 1 && words[index]?.startsWith('+') === true);
    // A word behind an option may be its value, or the subcommand already.
    if (!isOption && words[index - 1]?.startsWith('-') !== true) break;
    forms.push([words[0], ...words.slice(index + 1)]);
  }
  return forms;
}

/** Words of a launcher that are looked through. */
const MAX_LAUNCHED = 16;

/**
 * What may be the command of a program that runs one, whatever its options are: each of its words on, and each command in
 * a word that holds some. Only deny and ask rules see these.
 */
function launched(words: readonly KnownWord[]): Array<readonly KnownWord[]> {
  const texts = words.slice(1).filter((word) => word !== undefined && /\s/u.test(word));
  const within = texts
    .flatMap((text) => (text ?? '').slice(0, MAX_LENGTH).split(/[;&|\n"']+/u))
    .map((text) => text.trim().replace(/^(?:-\w*?S|--[\w-]+=)/u, ''));
  const tails = words.slice(1, MAX_LAUNCHED).map((_, index) => words.slice(index + 1));
  return [...tails, ...within.filter((text) => text !== '').map((text) => text.split(/\s+/u))];
}

type Place = (path: string) => readonly string[];
type Unknown = (...reasons: string[]) => void;

function record(exec: Exec, draft: EffectsDraft, effects: ReturnType<typeof programEffects>['effects'], place: Place): void {
  const index = draft.execs.push(exec) - 1;
  for (const { kind, value, tree } of effects) {
    if (kind === 'host') {
      draft.net.push({ host: value, exec: index });
      continue;
    }
    const list = { read: draft.reads, write: draft.writes, delete: draft.deletes, mention: draft.mentions }[kind];
    for (const path of place(value ?? '')) if (path !== '') list.push({ path, tree, exec: index });
  }
}

/**
 * Adds what one simple command does to the draft: wrappers are taken off, the program inside is looked up.
 *
 * @returns texts that it has a shell run
 */
export function readExec(input: ExecInput, draft: EffectsDraft, place: Place, unknown: Unknown): { texts: string[] } {
  const doubts: string[] = [];
  const forms: Array<readonly KnownWord[]> = [];
  let { words } = input;
  let appended = false;
  for (let layer = 0; layer < MAX_WRAPPERS; layer += 1) {
    const inner = unwrap(words);
    if (inner?.words === undefined) break;
    if (inner.words.length === 0) {
      doubts.push(`${words[0]} has no command that could be judged`);
      break;
    }
    forms.push(words);
    doubts.push(...inner.reasons);
    for (const assignment of inner.assignments) {
      const reason = assignmentReason((assignment ?? '').split('=', 1)[0] ?? '');
      if (reason !== undefined) doubts.push(reason);
    }
    appended ||= /^(?:xargs|parallel)$/u.test(programName(words[0] ?? ''));
    words = inner.words;
    if (words[0] === undefined) doubts.push('the command word is only known when it runs');
  }
  const wrapped = words === input.words ? undefined : input.words;
  const altered = doubts.length > 0;
  const name = words[0] === undefined ? undefined : programName(words[0]);
  const read = name === undefined ? undefined : programEffects(name, words);
  const { effects, doubts: programDoubts, canonical } = read ?? { effects: [], doubts: [], canonical: undefined };
  // A wrapper that may change what the program does may make it write.
  let onlyReads = read?.onlyReads === true && !altered;
  doubts.push(...programDoubts);
  if (input.splits && (name === undefined || !Object.hasOwn(PROGRAMS, name) || PROGRAMS[name]?.anyWords !== true)) {
    doubts.push('an argument is only known when it runs, and may become several');
    onlyReads = false;
  }
  if (name !== undefined && name.includes('/')) effectsOfPath(name, draft, place);
  const interpreter = interpreterReason(words);
  if (interpreter !== undefined && (input.piped || appended)) unknown(`${name} runs what is fed to it`);
  if (canonical !== undefined && canonical.length !== words.length) forms.push(canonical);
  forms.push(...withoutLeadingOptions(words));
  // An option that is not known here may take the next word, and one of a wrapper that is may be a command.
  if (altered) forms.push(...launched(input.words));
  if (isLauncher(words) && !SHELLS.has(programFamily(name ?? ''))) forms.push(...launched(words));
  const base = name === undefined ? undefined : name.slice(name.lastIndexOf('/') + 1);
  // /opt/bin/rm is not rm to an allow rule, but it is to a deny rule.
  if (base !== undefined && base !== words[0]) forms.push([base, ...words.slice(1)]);
  forms.push(...[words, ...forms].flatMap(sameCommands));
  record(
    {
      words: name === undefined ? words : [name, ...words.slice(1)],
      text: input.text,
      name,
      forms,
      wrapped,
      altered,
      doubts: [...new Set(doubts)],
      onlyReads,
    },
    draft,
    effects,
    place,
  );
  const texts: string[] = [];
  if (SHELLS.has(programFamily(name ?? ''))) {
    const text = shellText(words);
    unknown('a shell is started inside the shell');
    if (typeof text === 'string') texts.push(text);
  } else if (name === 'eval' || name === 'trap') {
    const text = name === 'eval' ? words.slice(1) : words.slice(1, 2);
    if (text.every((word) => word !== undefined)) texts.push(text.join(' '));
  } else if (name === 'flock' || name === 'script') {
    const text = shellText(input.words);
    if (typeof text === 'string') texts.push(text);
  } else if (name === 'find') {
    for (const found of findCommands(words)) {
      unknown('find runs a command on files that only it finds');
      texts.push(...readExec({ words: found, text: input.text, piped: false, splits: false }, draft, place, unknown).texts);
    }
  }
  return { texts };
}

/** A program in the workspace is a file that is read. */
function effectsOfPath(name: string, draft: EffectsDraft, place: Place): void {
  for (const path of place(name)) draft.mentions.push({ path, tree: false, exec: undefined });
}
