import type { KnownWord } from '../command-pattern.ts';
import type { HeldCommands, Program, SpecialReading, WordSink } from '../program.ts';

/** Options of `find` that run a command or delete files. */
const ACTIONS = /^-(?:exec|execdir|ok|okdir|delete)$/u;

/** Reads a `find` command, whose words are an expression instead of options. */
function readFind(words: readonly KnownWord[], sink: WordSink): SpecialReading {
  const start = words.findIndex((word, index) => index > 0 && word !== undefined && /^[-(!]/u.test(word) && !/^-[HLPD]|^-O\d/u.test(word));
  const starts = words.slice(1, start === -1 ? undefined : start).filter((word) => word === undefined || !word.startsWith('-'));
  const deletes = words.includes('-delete');
  let isPlain = true;
  for (const [index, word] of words.entries()) {
    if (word === undefined) {
      sink.doubt('an argument is only known when it runs');
      isPlain = false;
    } else if (/^-f(?:print0?|printf|ls)$/u.test(word)) sink.add('write', words[index + 1] ?? '');
    else if (word === '-files0-from') {
      sink.add('code', words[index + 1] ?? '');
      isPlain = false;
    } else if (/^-(?:newer..|newer|samefile|anewer|cnewer)$/u.test(word)) sink.add('list', words[index + 1] ?? '');
  }
  for (const place of starts.length === 0 ? ['.'] : starts) if (place !== undefined) sink.add(deletes ? 'deleteTree' : 'list', place);
  return { onlyReads: isPlain && !words.some((word) => ACTIONS.test(word ?? '')) };
}

/** Returns the commands between `-exec` and its end. */
function heldByFind(words: readonly KnownWord[]): HeldCommands {
  const commands: KnownWord[][] = [];
  for (let index = 0; index < words.length; index += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/u.test(words[index] ?? '')) continue;
    const rest = words.slice(index + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    const held = end === -1 ? rest : rest.slice(0, end);
    // What follows -exec belongs to its command. An unknown word may end it.
    if (!held.includes(undefined)) index += held.length;
    // The name that find inserts is unknown.
    commands.push(held.map((word) => (word?.includes('{}') === true ? undefined : word)));
  }
  return { commands, unknown: commands.length === 0 ? [] : ['find runs a command on files that only it finds'] };
}

/** Programs that find files by name. */
export const programs: readonly Program[] = [
  { names: 'find', naming: 1, read: readFind, holds: heldByFind },
  { names: 'fd', codeOptions: '-x -X --exec --exec-batch', onlyReads: ['*'] },
  { names: 'fdfind', onlyReads: ['*'] },
];
