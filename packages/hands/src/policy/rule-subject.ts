import type { Part, PathPart } from './part.ts';

type PathKind = Exclude<PathPart['kind'], 'mention'>;

/**
 * Tools that stand for more than themselves in rules. `read_file(.env)` is about whatever reads .env: other
 * tools and commands. Of the others, deny and ask rules are as wide as the action and allow rules as narrow
 * as the tool, so that no rule gives more than it says or stops less.
 */
interface Subject {
  readonly argument: 'path' | 'command' | 'host';
  readonly kinds: ReadonlyArray<Part['kind']>;
  /** Whether allow rules are as wide as the action too. */
  readonly wide: boolean;
}

const CHANGES: readonly PathKind[] = ['write', 'delete'];

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  read_file: { argument: 'path', kinds: ['read'], wide: true },
  write_file: { argument: 'path', kinds: CHANGES, wide: true },
  edit_file: { argument: 'path', kinds: CHANGES, wide: false },
  apply_patch: { argument: 'path', kinds: CHANGES, wide: false },
  delete_file: { argument: 'path', kinds: ['delete'], wide: false },
  delete_directory: { argument: 'path', kinds: ['delete'], wide: false },
  run_command: { argument: 'command', kinds: ['exec', 'unknown'], wide: true },
  fetch_url: { argument: 'host', kinds: ['net'], wide: true },
};

/** The subject of a tool name. */
export function subjectOf(tool: string): Subject | undefined {
  return Object.hasOwn(SUBJECTS, tool) ? SUBJECTS[tool] : undefined;
}
