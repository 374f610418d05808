import { README } from '../metadata/readme.ts';

/** A kind of project log, and which end of it is the latest. */
export interface DevlogKind {
  readonly file: RegExp;
  readonly latest: 'last' | 'first';
  /** Whether every line is a task, even without a checkbox. */
  readonly isList: boolean;
  /** Whether it lists changes by release and may have an unreleased section. */
  readonly isChangeLog?: boolean;
  /** Whether only its plan sections matter. */
  readonly isReadme?: boolean;
}

/** Logs by their usual names, the most informative first. */
export const DEVLOG_KINDS: readonly DevlogKind[] = [
  { file: name('dev[-_ ]?log|work[-_ ]?log|journal|diary|lab[-_ ]?notes|tagebuch|logbuch|carnet|diario'), latest: 'last', isList: false },
  { file: name('todos?|to-do|tasks|backlog|aufgaben'), latest: 'first', isList: true },
  { file: name('status|progress|handoff|hand-over'), latest: 'last', isList: false },
  { file: name('notes|notizen|notas'), latest: 'last', isList: false },
  { file: name('roadmap|plan|next[-_ ]?steps'), latest: 'first', isList: false },
  { file: name('change[-_ ]?log|changes|history|news|release[-_ ]?notes|releases'), latest: 'first', isList: false, isChangeLog: true },
  { file: README, latest: 'first', isList: false, isReadme: true },
];

function name(names: string): RegExp {
  return new RegExp(`^(?:docs?/|\\.github/)?(?:${names})(?:\\.(?:md|markdown|txt|rst|org|adoc))?$`, 'iu');
}

/** Finds the logs in the top folder and the docs: at most one of each kind, and `maximum` in total. */
export function findDevlogs(paths: readonly string[], maximum: number): { path: string; kind: DevlogKind }[] {
  return DEVLOG_KINDS.flatMap((kind) => {
    const [path] = paths.filter((path) => kind.file.test(path)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return path === undefined ? [] : [{ path, kind }];
  }).slice(0, maximum);
}
