import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { amount, join, quote, say, type SafeText } from '../evidence/safe-text.ts';
import type { Fact } from '../metadata/manifest.ts';
import { inFolderOf, type Manifest } from '../metadata/read-metadata.ts';
import { notableDependencies } from '../metadata/notable-dependencies.ts';
import type { Trait } from '../structure/traits.ts';
import type { Findings } from './findings.ts';

const SHOWN_LANGUAGES = 4;
const SHOWN_MEMBERS = 6;
const SHOWN_COMMANDS = 4;
/** Maximum number of characters of a description or first paragraph. */
const PROSE_CHARACTERS = 280;

/** Returns a fact of the first manifest that has it, with its manifest. */
function firstFact(manifests: readonly Manifest[], pick: (manifest: Manifest) => Fact | undefined): { fact: Fact; manifest: Manifest } | undefined {
  for (const manifest of manifests) {
    const fact = pick(manifest);
    if (fact !== undefined) return { fact, manifest };
  }
  return undefined;
}

function purpose({ metadata }: Findings): Claim[] {
  const { manifests, readme } = metadata;
  const name = firstFact(manifests, ({ facts }) => facts.name);
  const version = firstFact(manifests, ({ facts }) => facts.version);
  const description = firstFact(manifests, ({ facts }) => facts.description);
  const found = [name, version, description].filter((each) => each !== undefined);
  const called = name === undefined ? say`The project` : say`${name.fact.value}`;
  const title = say`${called}${version === undefined ? say`` : say` ${version.fact.value}`}`;
  const stated =
    found.length === 0 ? undefined : say`${title}${description === undefined ? say`` : say`: ${quote(description.fact.value, PROSE_CHARACTERS)}`}`;
  return [
    ...(stated === undefined
      ? []
      : claimIf(
          stated,
          found.map(({ fact, manifest }) => manifest.at(fact)),
        )),
    // Omit a README that only repeats the description.
    ...(readme === undefined || readme.text === description?.fact.value
      ? []
      : [claim(say`The README says: ${quote(readme.text, PROSE_CHARACTERS)}`, readme.evidence)]),
  ];
}

const TRAIT_NAMES = { tests: 'tests', ci: 'CI', docs: 'docs', containers: 'containers' } as const satisfies Record<Trait, string>;

function shape({ structure }: Findings): Claim[] {
  if (structure.evidence === undefined) return [];
  if (structure.paths.length === 0) {
    const folders = structure.rootFolders.length;
    return [claim(folders === 0 ? say`The folder is empty.` : say`There are ${amount(folders, 'folder')} and no files.`, ...structure.evidence)];
  }
  const files = amount(structure.total ?? (structure.partial ? structure.sampled : structure.paths.length), 'file');
  const total = structure.partial && structure.total === undefined ? say`More than ${files}` : files;
  const sample = structure.partial ? say` among the ${structure.sampled} changed last` : say``;
  if (structure.binary !== undefined) {
    const { kind, files: binary } = structure.binary;
    return [claim(say`${total}, most of them binary: ${binary} are ${quote(kind)}${sample}.`, ...structure.evidence)];
  }
  const languages = structure.languages.slice(0, SHOWN_LANGUAGES).map(({ language, files }) => say`${quote(language)} (${files})`);
  const counted = structure.languages.slice(0, SHOWN_LANGUAGES).reduce((sum, { files }) => sum + files, 0);
  const share = counted * 2 > structure.sampled ? say`mostly` : say`among them`;
  const spoken = languages.length === 0 ? say`` : say`, ${share} ${join(languages)}${sample}`;
  const traits = structure.traits.map(({ trait, files }) => {
    const seen = structure.partial ? say`` : say` (${amount(files, 'file')})`;
    return say`${quote(TRAIT_NAMES[trait])}${seen}`;
  });
  const withTraits = traits.length === 0 ? say`` : say`; with ${join(traits)}`;
  return claimIf(say`${total}${spoken}${withTraits}.`, [...structure.evidence.slice(-1), ...structure.traits.map(({ evidence }) => evidence)]);
}

/** Returns the known folders that a member such as `packages/*` matches; otherwise the member itself. */
function memberFolders(member: string, paths: readonly string[]): string[] {
  if (member.startsWith('!')) return [];
  const parent = /^(?:\.\/)?([^*?{![\]]+\/)\*{1,2}$/u.exec(member)?.[1];
  if (parent === undefined) return [member];
  const inside = paths.filter((path) => path.startsWith(parent) && path.includes('/', parent.length));
  const folders = new Set(inside.map((path) => path.slice(0, path.indexOf('/', parent.length))));
  return folders.size === 0 ? [member] : [...folders].sort();
}

function workspace({ metadata, structure }: Findings): Claim[] {
  const manifest = metadata.manifests.find(({ facts }) => facts.members.length > 0);
  const [first] = manifest?.facts.members ?? [];
  if (manifest === undefined || first === undefined) return [];
  // If not all files were listed, folders could be missing.
  const paths = structure.partial ? [] : structure.paths;
  const folders = [...new Set(manifest.facts.members.flatMap(({ value }) => memberFolders(value, paths)))];
  const shown = folders.slice(0, SHOWN_MEMBERS).map((folder) => quote(folder, 60));
  const more = folders.length > shown.length ? say` and ${folders.length - shown.length} more` : say``;
  const [only] = folders;
  const isOne = folders.length === 1 && only !== undefined && !/[*?{[]/u.test(only);
  return [claim(say`A workspace of ${isOne ? say`one package` : say`several packages`}: ${join(shown)}${more}.`, manifest.at(first))];
}

function foundation({ metadata }: Findings): Claim[] {
  const engine = firstFact(metadata.manifests, ({ facts }) => facts.engine);
  const built = metadata.manifests.find(({ facts }) => facts.dependencies.length > 0);
  const dependencies = built === undefined ? [] : notableDependencies(built.facts.dependencies);
  const working = metadata.manifests.find(({ facts }) => (facts.devDependencies?.length ?? 0) > 0);
  const tools = notableDependencies(working?.facts.devDependencies ?? []);
  const named = (facts: readonly Fact[]): SafeText => join(facts.map(({ value }) => quote(value, 60)));
  const parts: SafeText[] = [
    ...(engine === undefined ? [] : [say`requires ${quote(engine.fact.value, 60)}`]),
    ...(dependencies.length === 0 ? [] : [say`depends on ${named(dependencies)}`]),
    ...(tools.length === 0 ? [] : [say`is developed with ${named(tools)}`]),
  ];
  return claimIf(say`It ${join(parts, '; ')}.`, [
    ...(engine === undefined ? [] : [engine.manifest.at(engine.fact)]),
    ...(built === undefined ? [] : dependencies.slice(0, 1).map(built.at)),
    ...(working === undefined ? [] : tools.slice(0, 1).map(working.at)),
  ]);
}

function commands({ metadata }: Findings): Claim[] {
  const all = metadata.manifests.flatMap((manifest) => manifest.facts.commands.map((command) => ({ command, manifest })));
  const perPurpose = [...new Map(all.toReversed().map((each) => [each.command.purpose, each])).values()].toReversed().slice(0, SHOWN_COMMANDS);
  return claimIf(
    say`Commands: ${join(perPurpose.map(({ command, manifest }) => say`${quote(command.value, 80)}${inFolderOf(manifest)}`))}.`,
    perPurpose.map(({ command, manifest }) => manifest.at(command)),
  );
}

/** Reports what the project is, from its manifests and files. */
export function projectFacts(findings: Findings): Claim[] {
  return [purpose, shape, workspace, foundation, commands].flatMap((facts) => facts(findings));
}
