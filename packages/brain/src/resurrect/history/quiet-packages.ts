import type { Ask } from '../call-log.ts';
import { inAnswer, atLine, type Evidence } from '../evidence/evidence.ts';
import type { Metadata } from '../metadata/read-metadata.ts';
import { seenCommits, PAGE, type RecentCommits, type SeenCommit } from './commits.ts';
import { isProse, isLock } from './path-kinds.ts';
import { upkeepOf } from './upkeep.ts';

/** A package of a workspace that nothing else names and that stayed as it was while the others changed. */
export interface QuietPackage {
  readonly name: string;
  readonly folder: string;
  /** Its newest commit that is work. */
  readonly last: SeenCommit & { readonly time: number };
  /** Whether newer commits only updated versions in it. */
  readonly hasUpkeep: boolean;
  /** Number of commits to other packages since, among the recent ones. */
  readonly since: number;
  /** The newest of them. */
  readonly newest: SeenCommit & { readonly time: number };
  /** Its manifest, and the search that found no use. */
  readonly evidence: readonly [Evidence, Evidence];
}

/** How the manifest of a member states its name, by the file name of manifests. */
interface MemberKind {
  readonly manifest: string;
  readonly name: RegExp;
  /** The manifests of the workspace. */
  readonly roots: readonly string[];
}

const KINDS: readonly MemberKind[] = [
  { manifest: 'package.json', name: /^\s*"name"\s*:\s*"([^"]+)"/u, roots: ['package.json', 'pnpm-workspace.yaml'] },
  { manifest: 'Cargo.toml', name: /^name\s*=\s*"([^"]+)"/u, roots: ['Cargo.toml'] },
  { manifest: 'go.mod', name: /^module\s+(\S+)/u, roots: ['go.work'] },
  { manifest: 'pubspec.yaml', name: /^name:\s*(\S+)/u, roots: ['pubspec.yaml'] },
  { manifest: 'pyproject.toml', name: /^name\s*=\s*"([^"]+)"/u, roots: ['pyproject.toml'] },
];

interface Member {
  readonly name: string;
  readonly folder: string;
  readonly manifest: string;
  readonly evidence: Evidence;
}

/** Days that a package stays behind the others until that is worth telling. */
const QUIET_DAYS = 90;
const DAY_MS = 86_400_000;
/** Number of commits to other packages from which the others count as moving. */
const MOVING = 3;
/** A folder below the top one, or a glob of such folders. A manifest may say anything else. */
const PLAIN_FOLDER = /^(?!\.)[\w@.*-]+(?:\/(?!\.)[\w@.*-]+)*$/u;
const MAXIMUM_MEMBERS = 500;
/** Packages to look at closely. Each takes a call. */
const MAXIMUM_CANDIDATES = 6;
const MATCHES = 600;
const MATCHES_PER_FILE = 20;

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const ownName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const isIn = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);
const escape = (text: string): string => text.replaceAll(/[$.*+?()[\]{}|^\\]/gu, String.raw`\$&`);

/** Finds the packages of the workspace by one search for the names in their manifests. */
async function findMembers(ask: Ask, { manifests }: Metadata): Promise<Member[]> {
  const listing = manifests.find(({ path, facts }) => facts.members.length > 0 && KINDS.some(({ roots }) => roots.includes(path)));
  const kind = KINDS.find(({ roots }) => listing !== undefined && roots.includes(listing.path));
  if (listing === undefined || kind === undefined) return [];
  const globs = listing.facts.members
    .map(({ value }) => value.replace(/^\.\//u, '').replace(/\/+$/u, ''))
    .filter((folder) => PLAIN_FOLDER.test(folder))
    .map((folder) => `${folder}/${kind.manifest}`);
  if (globs.length === 0) return [];
  const answer = await ask('search_text', { pattern: kind.name.source, glob: globs, context: 0, limit: 2_000, per_file: MATCHES_PER_FILE });
  if (!answer.ok || answer.data.truncated !== undefined) return [];
  const found = answer.data.matches.flatMap(({ path, line, text }) => {
    const name = kind.name.exec(text)?.[1];
    const indent = text.length - text.trimStart().length;
    return name === undefined ? [] : [{ name, folder: folderOf(path), manifest: path, indent, evidence: atLine(answer, path, line) }];
  });
  // A name further inside belongs to something else, such as the author.
  const outermost = found.toSorted((a, b) => a.indent - b.indent).toReversed();
  return [...new Map(outermost.map((each) => [each.manifest, each])).values()].slice(0, MAXIMUM_MEMBERS);
}

/** Whether a line names a package, as a whole word. */
function namesPackage(text: string, { name, folder }: Member): boolean {
  const names = [...new Set([name, name.replaceAll('-', '_'), folder, `../${ownName(folder)}`])];
  return names.some((each) => new RegExp(`(?<![\\w@-])${escape(each)}(?![\\w-])`, 'u').test(text));
}

/** Returns the packages that no manifest and no source file outside of them names. */
async function findUnnamed(ask: Ask, candidates: readonly Member[], metadata: Metadata): Promise<{ member: Member; evidence: Evidence }[]> {
  const words = candidates.flatMap(({ name, folder }) => [name, name.replaceAll('-', '_'), `/${ownName(folder)}`]);
  const answer = await ask('search_text', {
    pattern: [...new Set(words)].map(escape).join('|'),
    hidden: true,
    context: 0,
    limit: MATCHES,
    per_file: MATCHES_PER_FILE,
  });
  // With too many matches some are omitted, possibly including the use.
  if (!answer.ok || answer.data.truncated !== undefined) return [];
  // A workspace lists its members; that is no use of them.
  const listed = new Set(metadata.manifests.flatMap(({ path, facts }) => facts.members.map(({ line }) => `${path}:${line}`)));
  const manifests = new Set(KINDS.map(({ manifest }) => manifest));
  const uses = answer.data.matches.filter(
    ({ path, line }) =>
      !path.startsWith('.git/') && !listed.has(`${path}:${line}`) && !isLock(path) && (manifests.has(ownName(path)) || !isProse(path)),
  );
  return candidates
    .filter((member) => !uses.some(({ path, text }) => !isIn(member.folder, path) && namesPackage(text, member)))
    .map((member) => ({ member, evidence: inAnswer(answer) }));
}

/**
 * Finds packages of a workspace that nothing else names, and that have had no commits for long while others were worked
 * on. Claims nothing if the history or a search is incomplete.
 */
export async function findQuietPackages(
  ask: Ask,
  metadata: Metadata,
  { recent, open }: { readonly recent: RecentCommits | undefined; readonly open: readonly string[] },
): Promise<QuietPackage[]> {
  if (recent === undefined || recent.shallow) return [];
  const members = await findMembers(ask, metadata);
  if (members.length < 2) return [];
  const timed = recent.commits.flatMap((commit) => (commit.time === undefined ? [] : [{ ...commit, time: commit.time }]));
  const work = timed.filter(
    (commit) => upkeepOf(commit) === undefined && commit.files.some((path) => members.some(({ folder }) => isIn(folder, path))),
  );
  const [newest] = work;
  if (newest === undefined) return [];
  const isQuiet = ({ folder }: Member): boolean =>
    !open.some((path) => isIn(folder, path)) &&
    work.every(({ time, files }) => newest.time - time >= QUIET_DAYS * DAY_MS || !files.some((path) => isIn(folder, path))) &&
    // A package around another one holds its files too.
    !members.some((other) => isIn(folder, `${other.folder}/`) && other.folder !== folder);
  const candidates = members.filter(isQuiet).slice(0, MAXIMUM_CANDIDATES);
  if (candidates.length === 0) return [];
  const unnamed = await findUnnamed(ask, candidates, metadata);
  const quiet = await Promise.all(
    unnamed.map(async ({ member, evidence }): Promise<QuietPackage[]> => {
      const log = await ask('git_log', { path: member.folder, limit: PAGE, files: true });
      const commits = log.ok ? seenCommits(log) : [];
      const index = commits.findIndex((commit) => upkeepOf(commit) === undefined);
      const last = commits[index];
      if (last?.time === undefined || newest.time - last.time < QUIET_DAYS * DAY_MS) return [];
      const { time } = last;
      const since = work.filter((commit) => commit.time > time).length;
      if (since < MOVING) return [];
      const { name, folder } = member;
      return [{ name, folder, last: { ...last, time }, hasUpkeep: index > 0, since, newest, evidence: [member.evidence, evidence] }];
    }),
  );
  return quiet.flat();
}
