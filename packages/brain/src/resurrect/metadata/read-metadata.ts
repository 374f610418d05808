import type { ToolData } from '@synapse/hands';
import { atFile, atLine, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Answer, Ask } from '../notebook.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { findManifests, MANIFEST_GLOBS } from './manifest-kinds.ts';
import type { Fact, ManifestFacts, ParseManifest } from './manifest.ts';
import { firstParagraph, README } from './readme.ts';

/** A manifest that was read and understood. */
export interface Manifest {
  readonly path: string;
  readonly facts: ManifestFacts;
  /** Where one of its facts stands. */
  readonly at: (fact: Fact) => Evidence;
}

/** What manifests and the README say about a project. */
export interface Metadata {
  /** The one that tells most comes first. */
  readonly manifests: readonly Manifest[];
  /** Manifests that are there but could not be understood. */
  readonly unreadable: readonly Evidence[];
  /** Whether there is a README, also where it tells nothing. */
  readonly hasReadme: boolean;
  readonly readme: { readonly text: string; readonly evidence: Evidence } | undefined;
}

/** More manifests in one folder tell nothing new. */
const MAXIMUM_MANIFESTS = 8;
/** Lines: a manifest that is longer is generated. */
const MANIFEST_LINES = 2_000;
/** Lines: the first paragraph of a README stands at its beginning. */
const README_LINES = 120;

async function readManifest(ask: Ask, path: string, parse: ParseManifest, siblings: readonly string[]): Promise<Manifest | Evidence> {
  const answer = await ask('read_file', { path, limit: MANIFEST_LINES }, { essential: true });
  if (!answer.ok) return inAnswer(answer);
  try {
    return { path, facts: await parse(answer.data.content, siblings), at: ({ line }) => atLine(answer, path, line) };
  } catch {
    // Whatever a parser throws means the same: this is not a valid manifest, and the report says so.
    return atFile(answer, path);
  }
}

function readmeOf(answer: Answer<ToolData<'read_file'>>, path: string): Metadata['readme'] {
  const paragraph = firstParagraph(answer.data.content);
  return paragraph === undefined ? undefined : { text: paragraph.value, evidence: atLine(answer, path, paragraph.line) };
}

/** The paths to look for manifests in. Of many files only some are listed: then they are searched for by name. */
async function manifestPaths(ask: Ask, structure: Structure): Promise<readonly string[]> {
  const inTop = findManifests(structure.rootFiles, 1).length > 0;
  if (inTop || !structure.partial) return structure.paths;
  const found = await ask('find_files', { glob: [...MANIFEST_GLOBS], hidden: false, limit: 200 });
  return found.ok ? found.data.files.map(({ path }) => path) : structure.paths;
}

/** Step 2: what the manifests and the README say. */
export async function readMetadata(ask: Ask, structure: Structure): Promise<Metadata> {
  const candidates = findManifests(await manifestPaths(ask, structure), MAXIMUM_MANIFESTS, structure.languages[0]?.language);
  const readmePath = structure.rootFiles.find((path) => README.test(path));
  const [read, readme] = await Promise.all([
    Promise.all(candidates.map(({ path, parse }) => readManifest(ask, path, parse, structure.rootFiles))),
    readmePath === undefined ? undefined : ask('read_file', { path: readmePath, limit: README_LINES }),
  ]);
  return {
    manifests: read.flatMap((manifest) => ('facts' in manifest ? [manifest] : [])),
    unreadable: read.flatMap((manifest) => ('facts' in manifest ? [] : [manifest])),
    hasReadme: readmePath !== undefined,
    readme: readmePath === undefined || readme?.ok !== true ? undefined : readmeOf(readme, readmePath),
  };
}
