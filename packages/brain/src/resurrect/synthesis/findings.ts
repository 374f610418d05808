import type { Devlog } from '../devlog/read-devlog.ts';
import type { History } from '../history/analyze-git.ts';
import type { Metadata } from '../metadata/read-metadata.ts';
import type { Structure } from '../structure/discover-structure.ts';

/** The results of the previous steps, with evidence. */
export interface Findings {
  readonly structure: Structure;
  readonly metadata: Metadata;
  readonly history: History;
  readonly devlogs: readonly Devlog[];
  /** Milliseconds since 1970. */
  readonly now: number;
}
