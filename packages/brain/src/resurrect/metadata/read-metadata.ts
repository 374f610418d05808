import type { ToolData } from '@synapse/hands';
import { atFile, atLine, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Answer, Ask } from '../call-log.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { findManifests, MANIFEST_GLOBS } from './manifest-kinds.ts';
import type { Fact, ManifestFacts, ParseManifest } from './manifest.ts';
import { firstParagraph, README } from './readme.ts';
import { quote, say, type SafeText } from '../evidence/safe-text.ts';

/** A parsed manifest. */
export interface Manifest {
  readonly path: string;
  readonly facts: ManifestFacts;
  /** Returns the place of one of its facts. */
  readonly at: (fact: Fact) => Evidence;
}

/** The content of the manifests and the README. */
export interface Metadata {
  /** Most informative first. */
  readonly manifests: readonly Manifest[];
  /** Manifests that could not be read or parsed. */
  readonly unreadable: readonly Evidence[];
  /** Whether a README exists, even an empty one. */
  readonly hasReadme: boolean;
  readonly readme: { readonly text: string; readonly evidence: Evidence } | undefined;
}

/** Metadata for analyses that read none. */
export const NO_METADATA: Metadata = { manifests: [], unreadable: [], hasReadme: false, readme: undefined };

/** Maximum number of manifests to read. More in one folder add nothing. */
const MAXIMUM_MANIFESTS = 8;
/** Maximum number of lines. Longer manifests are usually generated. */
const MANIFEST_LINES = 2_000;
/** Maximum number of lines. The first paragraph of a README is near its start. */
const README_LINES = 120;

async function readManifest(ask: Ask, path: string, parse: ParseManifest, siblings: readonly string[]): Promise<Manifest | Evidence> {
  const answer = await ask('read_file', { path, limit: MANIFEST_LINES }, { essential: true });
  if (!answer.ok) return inAnswer(answer);
  try {
    return { path, facts: await parse(answer.data.content, siblings), at: ({ line }) => atLine(answer, path, line) };
  } catch {
    // Any parser error means that this is not a valid manifest, which the report states.
    return atFile(answer, path);
  }
}

function readmeOf(answer: Answer<ToolData<'read_file'>>, path: string): Metadata['readme'] {
  const paragraph = firstParagraph(answer.data.content);
  return paragraph === undefined ? undefined : { text: paragraph.value, evidence: atLine(answer, path, paragraph.line) };
}

/** Returns candidate paths for manifests. If not all files were listed, searches for manifests by name. */
async function manifestPaths(ask: Ask, structure: Structure): Promise<readonly string[]> {
  const inTop = findManifests(structure.rootFiles, 1).length > 0;
  if (inTop || !structure.partial) return structure.paths;
  const found = await ask('find_files', { glob: [...MANIFEST_GLOBS], hidden: false, limit: 200 });
  return found.ok ? found.data.files.map(({ path }) => path) : structure.paths;
}

/** Step 2: reads the manifests and the README. */
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

/** Returns the folder in which a manifest's commands run, as text; empty for the top folder. */
export function inFolderOf({ path }: Pick<Manifest, 'path'>): SafeText {
  const end = path.lastIndexOf('/');
  return end === -1 ? say`` : say` in ${quote(path.slice(0, end + 1), 60)}`;
}
