import type { Access } from './access.ts';
import { decide } from './decide.ts';
import { freeNames, isPlainLocation, locate, locateIn, readGuard } from './guarded-location.ts';
import { MODE_VERDICTS } from './modes.ts';
import type { Policy } from './policy.ts';
import type { Rule, Verdict } from './rule.ts';

/** What commands may certainly read, because a look at a workspace asks about each name in it. If not, `decide` gives the answer. */
export interface FreeReads {
  /** Whether a path may be read. */
  readonly path: (path: string) => boolean;
  /** Whether no rule is about anything in a folder, so that only secret names in it are a reason to ask. */
  readonly folder: (path: string) => boolean;
}

interface Reading {
  readonly hasNoRules: boolean;
  readonly isFree: (name: string, path: string) => boolean;
}

const NEVER: FreeReads = { path: () => false, folder: () => false };

export function freeReads({ mode, denying, asking, roots }: Policy, tool: string): FreeReads {
  const strict = [...denying, ...asking];
  // What is said of the call counts for each path.
  if (MODE_VERDICTS[mode].read !== 'allow' || strict.some((rule) => rule.covers({ kind: 'call' }, tool) !== 'no')) return NEVER;
  const ofReads = strict.filter(({ kinds }) => kinds?.has('read') !== false);
  const covering = (rules: readonly Rule[], access: Access): readonly Rule[] => rules.filter((rule) => rule.covers(access, tool) !== 'no');
  const readingOf = (folder: string): Reading => {
    const at = locate(folder, roots);
    const isPlain = isPlainLocation(at);
    const rules = isPlain ? covering(ofReads, { kind: 'read', given: folder, location: at, tree: true, exec: undefined }) : ofReads;
    const isFreeName = isPlain && rules.length === 0 ? freeNames(at) : undefined;
    const isFree: Reading['isFree'] = (name, path) => {
      if (isFreeName?.(name) === true) return true;
      const plain = locateIn(at, name);
      const location = plain ?? locate(path, roots);
      if (readGuard(location) !== undefined) return false;
      return covering(plain === undefined ? ofReads : rules, { kind: 'read', given: path, location, tree: false, exec: undefined }).length === 0;
    };
    return { hasNoRules: isFreeName !== undefined, isFree };
  };
  // The last folder: a look asks for one name of it after the other.
  let last: string | undefined;
  let reading = readingOf('');
  const at = (folder: string): Reading => {
    if (folder !== last) [last, reading] = [folder, readingOf(folder)];
    return reading;
  };
  return {
    folder: (path) => !path.startsWith('/') && at(path).hasNoRules,
    path: (path) => {
      if (path.startsWith('/')) return false;
      const cut = path.lastIndexOf('/');
      return at(path.slice(0, Math.max(cut, 0))).isFree(path.slice(cut + 1), path);
    },
  };
}

const COMMAND = 'run_command';

/** By policy, each of which stays as it is. */
const FREE_READS = new WeakMap<Policy, FreeReads>();

function freeReadsOf(policy: Policy): FreeReads {
  const known = FREE_READS.get(policy) ?? freeReads(policy, COMMAND);
  FREE_READS.set(policy, known);
  return known;
}

/** Whether commands may certainly read what is directly in a folder and has a usual name, see `hasUsualNames`. */
export function readsUsualNames(policy: Policy, folder: string): boolean {
  return freeReadsOf(policy).folder(folder);
}

/** Returns the verdict on a command that reads a path. Any other than `allow` hides it from commands. */
export function readVerdict(policy: Policy, path: string): Verdict {
  return freeReadsOf(policy).path(path) ? 'allow' : decide(policy, { tool: COMMAND, permissions: [{ action: 'read', resource: path }] }).verdict;
}
