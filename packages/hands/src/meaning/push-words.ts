/** A reference that a push changes on the other side. */
export interface PushedRef {
  /** A branch, tag or commit here; undefined to delete the target. */
  readonly source: string | undefined;
  /** The name there; undefined for that of the source. */
  readonly target: string | undefined;
  readonly isForced: boolean;
}

/** What the words of `git push` ask for. */
export interface PushWords {
  /** A remote or an address; undefined for the usual remote. */
  readonly repository: string | undefined;
  readonly refs: readonly PushedRef[];
  /** Sets of references instead of names. */
  readonly sets: ReadonlySet<'branches' | 'tags' | 'mirror' | 'matching'>;
  readonly isForced: boolean;
  /** Whether nothing is sent. */
  readonly isTrial: boolean;
  /** Whether annotated tags go too; undefined where the settings decide. */
  readonly withTags: boolean | undefined;
  /** Whether commits of submodules go too; undefined where the settings decide. */
  readonly withSubmodules: boolean | undefined;
}

/** What is read of the options of `git push`. */
type Draft = { -readonly [Key in keyof PushWords]: PushWords[Key] } & {
  refs: PushedRef[];
  sets: Set<'branches' | 'tags' | 'mirror' | 'matching'>;
  deletes: boolean;
};

type Apply = (draft: Draft) => void;
const forces: Apply = (draft) => void (draft.isForced = true);
const tries: Apply = (draft) => void (draft.isTrial = true);
const deletes: Apply = (draft) => void (draft.deletes = true);
const branches: Apply = (draft) => void draft.sets.add('branches');

/** Options without a value. An option that is not here may mean anything. */
const FLAGS: Readonly<Record<string, Apply>> = {
  '--all': branches,
  '--branches': branches,
  '--mirror': (draft) => void draft.sets.add('mirror'),
  '--tags': (draft) => void draft.sets.add('tags'),
  '--follow-tags': (draft) => void (draft.withTags = true),
  '--no-follow-tags': (draft) => void (draft.withTags = false),
  '--no-recurse-submodules': (draft) => void (draft.withSubmodules = false),
  '--force': forces,
  '--force-with-lease': forces,
  '--delete': deletes,
  '--dry-run': tries,
  '-n': tries,
  '-f': forces,
  '-d': deletes,
};
const HARMLESS = new Set(
  (
    '-u --set-upstream -q --quiet -v --verbose --progress --no-progress --porcelain --atomic --no-atomic --thin --no-thin --no-verify --verify ' +
    '--force-if-includes --no-force-if-includes --signed --no-signed -4 --ipv4 -6 --ipv6'
  ).split(' '),
);
const VALUED = new Set(['--repo', '-o', '--push-option', '--recurse-submodules']);
const ATTACHED = new Set(['--force-with-lease', '--signed', ...VALUED]);

/** `-fu` is `-f -u`. */
function separated(word: string): readonly string[] {
  return /^-[fndquv46]{2,}$/u.test(word) ? Array.from(word.slice(1), (letter) => `-${letter}`) : [word];
}

/** The end of an expression such as `main~2` or `v1^{}`. */
const STEPS = /(?:[~^]\d*|\^\{\w*\})+$/u;
/** A pattern, what leaves out a name, or no name. */
const PATTERN = /[*^?[\s\\]/u;

/** Reads one name, as `+source:target`; undefined if it means a set or a pattern. */
function refOf(text: string, isForced: boolean): PushedRef | undefined {
  const isPlus = text.startsWith('+');
  const [source = '', target, ...more] = (isPlus ? text.slice(1) : text).split(':');
  const names = [source.replace(STEPS, ''), target ?? ''];
  if (more.length > 0 || names.some((name) => PATTERN.test(name)) || names.every((name) => name === '')) return undefined;
  return {
    source: source === '' ? undefined : source,
    target: target === undefined || target === '' ? undefined : target,
    isForced: isForced || isPlus,
  };
}

function addOperands(draft: Draft, [repository, ...names]: readonly string[]): boolean {
  draft.repository = repository ?? draft.repository;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? '';
    if (/^\+?:$/u.test(name)) draft.sets.add('matching');
    else if (name === 'tag' && names[at + 1] !== undefined) {
      at += 1;
      draft.refs.push({ source: `refs/tags/${names[at]}`, target: undefined, isForced: draft.isForced });
    } else {
      const ref = draft.deletes ? { source: undefined, target: name, isForced: false } : refOf(name, draft.isForced);
      if (ref === undefined) return false;
      draft.refs.push(ref);
    }
  }
  return true;
}

/** Reads names as a setting has them (`remote.origin.push`); undefined if they are patterns. */
export function refsOf(names: readonly string[]): readonly PushedRef[] | undefined {
  const refs = names.map((name) => refOf(name, false));
  return refs.every((ref) => ref !== undefined) ? refs : undefined;
}

/** Reads an option, with its value from the words after it. Returns whether it is known. */
function readOption(option: string, rest: string[], draft: Draft): boolean {
  const [name = '', attached] = option.split(/=(.*)/su, 2);
  if (VALUED.has(name)) {
    // `-o=x` is the value `=x` to git.
    if (attached !== undefined && !name.startsWith('--')) return false;
    const value = attached ?? rest.shift();
    if (value === undefined) return false;
    if (name === '--repo') draft.repository = value;
    if (name === '--recurse-submodules') draft.withSubmodules = value === 'on-demand' || value === 'only';
    return true;
  }
  if (attached !== undefined && !ATTACHED.has(name)) return false;
  if (HARMLESS.has(name)) return true;
  const apply = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  apply?.(draft);
  return apply !== undefined;
}

/**
 * Reads the words after `git push`; undefined if one of them is not known.
 * @param words undefined for a word that is only known when it runs
 */
export function pushWords(words: ReadonlyArray<string | undefined>): PushWords | undefined {
  if (!words.every((word) => word !== undefined)) return undefined;
  const draft: Draft = {
    repository: undefined,
    refs: [],
    sets: new Set(),
    isForced: false,
    isTrial: false,
    withTags: undefined,
    withSubmodules: undefined,
    deletes: false,
  };
  const operands: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') operands.push(...rest.splice(0));
    else if (!word.startsWith('-')) operands.push(word);
    else if (!separated(word).every((option) => readOption(option, rest, draft))) return undefined;
  }
  const { deletes: _, ...read } = draft;
  return addOperands(draft, operands) ? { ...read, repository: draft.repository } : undefined;
}
