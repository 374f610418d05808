/** What a command of git reads from another repository. */
export interface FetchWords {
  /** What it does there, before the address: `fetches from`. */
  readonly verb: string;
  /** A remote or an address; undefined for the usual remote. */
  readonly repository: string | undefined;
  /** Whether it reads from all remotes. */
  readonly isAll: boolean;
  /** Whether it may read submodules from their own remotes, if there are any. */
  readonly withSubmodules: boolean;
}

/** The words of a subcommand. An option that is not here may name another place, or a program. */
interface Subcommand {
  readonly verb: string;
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
  /** Options that take the next word, or what follows `=`. */
  readonly valued: ReadonlySet<string>;
  /** Long options whose value can only follow `=`. */
  readonly attached: ReadonlySet<string>;
  /** Short flags that can stand together: `-qv`. */
  readonly letters: RegExp;
}

const listed = (text: string): ReadonlySet<string> => new Set(text === '' ? [] : text.split(' '));

const subcommand = (verb: string, flags: string, valued: string, attached: string, letters: string): Subcommand => ({
  verb,
  flags: listed(flags),
  valued: listed(valued),
  attached: listed(attached),
  letters: new RegExp(`^-[${letters}]{2,}$`, 'u'),
});

const OUTPUT = '-q --quiet -v --verbose --progress --no-progress -4 --ipv4 -6 --ipv6';
const FETCHING = `${OUTPUT} --all -a --append -f --force -k --keep -n --no-tags -t --tags -p --prune --unshallow --update-shallow`;
const DEPTHS = '--depth --deepen --shallow-since --shallow-exclude -o --server-option -j --jobs';

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  fetch: subcommand(
    'fetches from',
    `${FETCHING} -P --prune-tags --dry-run --atomic --no-recurse-submodules --no-auto-maintenance --no-auto-gc --write-fetch-head --no-write-fetch-head`,
    `${DEPTHS} --refmap --negotiation-tip --filter`,
    '',
    'qv46afkntpP',
  ),
  pull: subcommand(
    'pulls from',
    // `-n` and `-a` mean something else to the merge after it.
    `${OUTPUT} --all --append -f --force -k --keep --no-tags -t --tags -p --prune --unshallow --update-shallow -r --rebase --no-rebase --ff --ff-only ` +
      '--no-ff --commit --no-commit --no-edit --stat --no-stat -n --log --no-log --squash --no-squash --autostash --no-autostash --signoff --no-verify ' +
      '--allow-unrelated-histories --no-recurse-submodules',
    `${DEPTHS} -s --strategy -X --strategy-option`,
    '--rebase --log',
    'qv46fktprn',
  ),
  'ls-remote': subcommand(
    'lists the references of',
    '-q --quiet -h --heads --branches -t --tags --refs --exit-code --symref',
    '--sort -o --server-option',
    '',
    'qht',
  ),
  clone: subcommand(
    'clones',
    `${OUTPUT} -n --no-checkout --bare --mirror --single-branch --no-single-branch --no-tags --sparse -l --local --no-hardlinks --no-shallow-submodules --also-filter-submodules`,
    '--depth --shallow-since --shallow-exclude -b --branch -o --origin -j --jobs --filter --server-option --revision',
    '',
    'qv46nl',
  ),
};

/** How many further words an option takes; undefined if it is not known. */
function takenBy(option: string, { valued, flags, attached }: Subcommand): number | undefined {
  const [name = '', value] = option.split(/=(.*)/su, 2);
  if (!valued.has(name)) return (value === undefined ? flags : attached).has(name) ? 0 : undefined;
  if (value === undefined) return 1;
  // `-j=4` is the value `=4` to git.
  return name.startsWith('--') ? 0 : undefined;
}

/** Reads a word with options: how many words they take as their values, and whether all is fetched. Undefined if one is not known. */
function readOptions(word: string, known: (typeof SUBCOMMANDS)[string]): { taken: number; isAll: boolean } | undefined {
  const read = { taken: 0, isAll: false };
  for (const option of known.letters.test(word) ? Array.from(word.slice(1), (letter) => `-${letter}`) : [word]) {
    const taken = takenBy(option, known);
    if (taken === undefined) return undefined;
    read.taken += taken;
    read.isAll ||= option === '--all';
  }
  return read;
}

/** Commands that also fetch into submodules. An option turns it off. */
const WITH_SUBMODULES: ReadonlySet<string> = new Set(['fetch', 'pull']);

/**
 * Reads the words after such a command; undefined if one is only known when it runs, or is not known here, or it is another command.
 * @param words undefined for a word that is only known when it runs
 */
export function fetchWords(name: string, words: ReadonlyArray<string | undefined>): FetchWords | undefined {
  const known = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (known === undefined || !words.every((word) => word !== undefined)) return undefined;
  const operands: string[] = [];
  let isAll = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const options = readOptions(word, known);
    if (options === undefined) return undefined;
    at += options.taken;
    isAll ||= options.isAll;
    if (at >= words.length) return undefined;
  }
  const [repository] = operands;
  // A clone without an address is an error of git.
  if (name === 'clone' && repository === undefined) return undefined;
  const withSubmodules = WITH_SUBMODULES.has(name) && !words.includes('--no-recurse-submodules');
  return { verb: known.verb, repository, isAll, withSubmodules };
}
