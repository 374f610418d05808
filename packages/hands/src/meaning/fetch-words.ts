/** What a command of git reads from another repository. */
export interface FetchWords {
  /** What it does there, before the address: `fetches from`. */
  readonly verb: string;
  /** A remote or an address; undefined for the usual remote. */
  readonly repository: string | undefined;
  /** Whether it reads from all remotes. */
  readonly isAll: boolean;
}

const VERBS: Readonly<Record<string, string>> = {
  fetch: 'fetches from',
  pull: 'pulls from',
  'ls-remote': 'lists the references of',
  clone: 'clones',
};

/** Options whose value is the next word, of these commands. */
const VALUED = new Set(
  (
    '--depth --deepen --shallow-since --shallow-exclude --refmap -o --server-option --negotiation-tip --filter -j --jobs -s --strategy -X ' +
    '--strategy-option -b --branch --origin --reference --reference-if-able --sort --bundle-uri --revision'
  ).split(' '),
);

/** Reads the words after such a command; undefined if one is only known when it runs, or it is another command. */
export function fetchWords(subcommand: string, words: ReadonlyArray<string | undefined>): FetchWords | undefined {
  const verb = Object.hasOwn(VERBS, subcommand) ? VERBS[subcommand] : undefined;
  if (verb === undefined) return undefined;
  let repository: string | undefined;
  let isAll = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || word === '--multiple') return undefined;
    if (word === '--all' && subcommand !== 'ls-remote') isAll = true;
    else if (VALUED.has(word)) at += 1;
    else if (word !== '--' && !word.startsWith('-')) {
      repository = word;
      break;
    }
  }
  // A clone without an address is an error of git.
  return subcommand === 'clone' && repository === undefined ? undefined : { verb, repository, isAll };
}
