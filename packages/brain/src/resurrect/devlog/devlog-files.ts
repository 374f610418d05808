/** What a log of a project is for, and which end of it is the latest. */
export interface DevlogKind {
  readonly file: RegExp;
  readonly latest: 'last' | 'first';
  /** Whether every line is a thing to do, also without a box before it. */
  readonly isList: boolean;
}

/** Logs by their usual names, the most telling first. */
export const DEVLOG_KINDS: readonly DevlogKind[] = [
  { file: name('dev[-_ ]?log|work[-_ ]?log|journal|diary|lab[-_ ]?notes'), latest: 'last', isList: false },
  { file: name('todos?|to-do|tasks|backlog'), latest: 'first', isList: true },
  { file: name('status|progress|handoff|hand-over'), latest: 'last', isList: false },
  { file: name('notes'), latest: 'last', isList: false },
  { file: name('roadmap|plan|next[-_ ]?steps'), latest: 'first', isList: false },
  { file: name('change[-_ ]?log|changes|history|news|release[-_ ]?notes|releases'), latest: 'first', isList: false },
];

function name(names: string): RegExp {
  return new RegExp(`^(?:docs?/|\\.github/)?(?:${names})(?:\\.(?:md|markdown|txt|rst|org|adoc))?$`, 'iu');
}

/** The logs among paths of the top folder and of the docs: at most one of a kind, `maximum` in all. */
export function findDevlogs(paths: readonly string[], maximum: number): { path: string; kind: DevlogKind }[] {
  return DEVLOG_KINDS.flatMap((kind) => {
    const [path] = paths.filter((path) => kind.file.test(path)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return path === undefined ? [] : [{ path, kind }];
  }).slice(0, maximum);
}
