import type { Access } from './access.ts';
import { freeNames, isPlainLocation, locate, locateIn, readGuard } from './guarded-location.ts';
import { MODE_VERDICTS } from './modes.ts';
import type { Policy } from './policy.ts';
import type { Rule } from './rule.ts';

/**
 * Returns a fast check for paths that a command may certainly read, because a look at a workspace asks about each name in it. True is certain.
 * If it returns false, `decide` gives the answer.
 */
export function freeReads({ mode, denying, asking, roots }: Policy, tool: string): (path: string) => boolean {
  const strict = [...denying, ...asking];
  // What is said of the call counts for each path.
  if (MODE_VERDICTS[mode].read !== 'allow' || strict.some((rule) => rule.covers({ kind: 'call' }, tool) !== 'no')) return () => false;
  const ofReads = strict.filter(({ kinds }) => kinds?.has('read') !== false);
  const covering = (rules: readonly Rule[], access: Access): readonly Rule[] => rules.filter((rule) => rule.covers(access, tool) !== 'no');
  const readsIn = (folder: string): ((name: string, path: string) => boolean) => {
    const at = locate(folder, roots);
    const isPlain = isPlainLocation(at);
    const rules = isPlain ? covering(ofReads, { kind: 'read', given: folder, location: at, tree: true, exec: undefined }) : ofReads;
    const isFree = isPlain && rules.length === 0 ? freeNames(at) : () => false;
    return (name, path) => {
      if (isFree(name)) return true;
      const plain = locateIn(at, name);
      const location = plain ?? locate(path, roots);
      if (readGuard(location) !== undefined) return false;
      return covering(plain === undefined ? ofReads : rules, { kind: 'read', given: path, location, tree: false, exec: undefined }).length === 0;
    };
  };
  // The folder of the last path: a look asks for one name of it after the other.
  let folder: string | undefined;
  let isFreeIn = readsIn('');
  return (path) => {
    if (path.startsWith('/')) return false;
    const cut = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(cut, 0));
    if (parent !== folder) [folder, isFreeIn] = [parent, readsIn(parent)];
    return isFreeIn(path.slice(cut + 1), path);
  };
}
