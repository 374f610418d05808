import { SynapseError } from '@synapse/protocol';
import { expandBraces } from './brace-expansion.ts';
import { compileSegment, matchSequence, type Segment } from './glob-segment.ts';

/** Names at any depth: `**`. */
const ANY_DEPTH = Symbol('**');
type Part = Segment | typeof ANY_DEPTH;

/** Which files are wanted, judged by their path below the folder that is searched. */
export interface GlobFilter {
  /** Folders that every wanted path begins with: the walk starts there. */
  readonly base: readonly string[];
  /** Globs of the last name only, for ripgrep to go by; empty where all names may be wanted. */
  readonly names: readonly string[];
  /** Globs of names that are excluded wherever they stand, so that ripgrep need not enter such folders. */
  readonly excludedNames: readonly string[];
  /** @param below names below {@link base} */
  matches(below: readonly string[]): boolean;
}

/** What ripgrep and this code read alike; anything else is left to this code alone. */
const PLAIN_NAME = /^[\w.\-*?]+$/u;
/** More globs than this are a mistake. */
const MAX_GLOBS = 32;
const MAX_CHARACTERS = 1_000;

interface Alternative {
  readonly parts: readonly Part[];
  readonly anywhere: boolean;
  readonly last: string;
}

const ANY_NAME = compileSegment('*');

function compileAlternative(glob: string): Alternative {
  const texts = glob.split('/').filter((text) => text !== '' && text !== '.');
  if (texts.includes('..')) {
    throw new SynapseError('outside_workspace', 'The glob leaves the folder that is searched.', {
      hint: 'Give the folder as path, and a glob without "..".',
    });
  }
  // As in .gitignore: a glob without a slash, but for one at its end, is a name at any depth.
  const anywhere = texts.length === 1 && !glob.startsWith('/') && !glob.startsWith('./');
  const parts: Part[] = texts.map((text) => (text === '**' ? ANY_DEPTH : compileSegment(text)));
  if (anywhere) parts.unshift(ANY_DEPTH);
  const isFolder = glob.endsWith('/');
  if (isFolder) parts.push(ANY_DEPTH);
  // What is in a folder, at any depth, is not the folder itself.
  if (parts.at(-1) === ANY_DEPTH) parts.push(ANY_NAME);
  return { parts, anywhere, last: isFolder ? '**' : (texts.at(-1) ?? '**') };
}

const isAnyDepth = (part: Part): boolean => part === ANY_DEPTH;
const acceptsName = (part: Part, name: string): boolean => part !== ANY_DEPTH && part.matches(name);

function matchesPath({ parts }: Alternative, path: readonly string[]): boolean {
  return matchSequence(path, parts, isAnyDepth, acceptsName);
}

function leadingNames({ parts }: Alternative): string[] {
  const names: string[] = [];
  for (const part of parts.slice(0, -1)) {
    if (part === ANY_DEPTH || part.name === undefined) break;
    names.push(part.name);
  }
  return names;
}

function commonStart(lists: ReadonlyArray<readonly string[]>): string[] {
  const [first = [], ...others] = lists;
  const differs = first.findIndex((name, index) => others.some((other) => other[index] !== name));
  return differs === -1 ? [...first] : first.slice(0, differs);
}

function alternatives(globs: readonly string[]): Alternative[] {
  return globs.flatMap(expandBraces).map(compileAlternative);
}

/**
 * Compiles globs. Those that begin with `!` exclude what they match, files as well as whole folders;
 * where there are only such, everything else is wanted.
 *
 * @throws SynapseError `invalid_arguments` for a glob that cannot be read or stands for too many, `outside_workspace` for `..`
 */
export function compileGlobs(globs: readonly string[]): GlobFilter {
  if (globs.length > MAX_GLOBS || globs.some((glob) => glob.length > MAX_CHARACTERS)) {
    throw new SynapseError('invalid_arguments', `At most ${MAX_GLOBS} globs of ${MAX_CHARACTERS} characters can be given.`);
  }
  const wanted = alternatives(globs.filter((glob) => !glob.startsWith('!')));
  const excluded = alternatives(globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1)));
  const lastNames = [...new Set(wanted.map(({ last }) => last))];
  const allPlain = lastNames.every((name) => PLAIN_NAME.test(name) && !/^\*+$/u.test(name));
  const base = commonStart(wanted.map(leadingNames));
  return {
    base,
    names: allPlain ? lastNames : [],
    excludedNames: excluded.filter(({ anywhere, last }) => anywhere && PLAIN_NAME.test(last)).map(({ last }) => last),
    matches: (below) => {
      const path = base.length === 0 ? below : [...base, ...below];
      return (
        (wanted.length === 0 || wanted.some((one) => matchesPath(one, path))) &&
        !excluded.some((one) => path.some((_, index) => matchesPath(one, path.slice(0, index + 1))))
      );
    },
  };
}
