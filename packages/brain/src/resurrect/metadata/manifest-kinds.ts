import type { Language } from '../structure/languages.ts';
import type { ParseManifest } from './manifest.ts';
import { parseBuildZig, parseCabal, parseJustfile, parseMesonBuild } from './parsers/build-files.ts';
import { parseBuildSbt } from './parsers/build-sbt.ts';
import { parseCargoToml } from './parsers/cargo-toml.ts';
import { parseCMakeLists } from './parsers/cmake.ts';
import { parseComposerJson } from './parsers/composer-json.ts';
import { parseCsproj, parseSolution } from './parsers/csproj.ts';
import { parseDenoJson } from './parsers/deno-json.ts';
import { parseGoMod, parseGoWork } from './parsers/go-mod.ts';
import { parseBuildGradle, parseSettingsGradle } from './parsers/gradle.ts';
import { parseMakefile, parseMakefileAm } from './parsers/makefile.ts';
import { parseMixExs } from './parsers/mix-exs.ts';
import { parsePackageJson } from './parsers/package-json.ts';
import { parsePomXml } from './parsers/pom-xml.ts';
import { parsePyprojectToml } from './parsers/pyproject-toml.ts';
import { parseRequirementsTxt, parseSetupCfg, parseSetupPy } from './parsers/setup-cfg.ts';
import { parseGemfile, parseGemspec, parseRakefile } from './parsers/ruby.ts';
import { parseSwiftPackage } from './parsers/swift-package.ts';
import { parsePnpmWorkspace, parsePubspec } from './parsers/yaml-manifests.ts';

/** A kind of manifest: its file names and its parser. */
export interface ManifestKind {
  /** File names; a leading star matches any text. */
  readonly names: readonly string[];
  /** Main languages of such projects; empty if any. */
  readonly languages: readonly Language[];
  readonly parse: ParseManifest;
}

const JAVASCRIPT = ['TypeScript', 'JavaScript', 'Vue', 'Svelte', 'Astro'] as const;
const PYTHON = ['Python', 'Jupyter'] as const;
const JVM = ['Java', 'Kotlin', 'Scala', 'Groovy'] as const;
const DOTNET = ['C#', 'F#'] as const;

/** Known manifests. If a project has several, the most informative come first. */
export const MANIFEST_KINDS: readonly ManifestKind[] = [
  { names: ['package.json'], languages: JAVASCRIPT, parse: parsePackageJson },
  { names: ['Cargo.toml'], languages: ['Rust'], parse: parseCargoToml },
  { names: ['pyproject.toml'], languages: PYTHON, parse: parsePyprojectToml },
  { names: ['go.mod'], languages: ['Go'], parse: parseGoMod },
  { names: ['deno.json', 'deno.jsonc'], languages: JAVASCRIPT, parse: parseDenoJson },
  { names: ['pom.xml'], languages: JVM, parse: parsePomXml },
  { names: ['build.gradle', 'build.gradle.kts'], languages: JVM, parse: parseBuildGradle },
  { names: ['build.sbt'], languages: ['Scala', 'Java'], parse: parseBuildSbt },
  { names: ['composer.json'], languages: ['PHP'], parse: parseComposerJson },
  { names: ['mix.exs'], languages: ['Elixir'], parse: parseMixExs },
  { names: ['pubspec.yaml'], languages: ['Dart'], parse: parsePubspec },
  { names: ['Package.swift'], languages: ['Swift'], parse: parseSwiftPackage },
  { names: ['*.gemspec'], languages: ['Ruby'], parse: parseGemspec },
  { names: ['Gemfile'], languages: ['Ruby'], parse: parseGemfile },
  { names: ['*.csproj', '*.fsproj', '*.vbproj'], languages: DOTNET, parse: parseCsproj },
  { names: ['*.sln'], languages: DOTNET, parse: parseSolution },
  { names: ['CMakeLists.txt'], languages: ['C++', 'C'], parse: parseCMakeLists },
  { names: ['meson.build'], languages: ['C', 'C++'], parse: parseMesonBuild },
  { names: ['Makefile.am'], languages: ['C', 'C++'], parse: parseMakefileAm },
  { names: ['build.zig'], languages: ['Zig'], parse: parseBuildZig },
  { names: ['*.cabal'], languages: ['Haskell'], parse: parseCabal },
  { names: ['setup.cfg'], languages: PYTHON, parse: parseSetupCfg },
  { names: ['Rakefile', 'rakefile'], languages: ['Ruby'], parse: parseRakefile },
  { names: ['setup.py'], languages: PYTHON, parse: parseSetupPy },
  { names: ['requirements.txt'], languages: PYTHON, parse: parseRequirementsTxt },
  { names: ['settings.gradle', 'settings.gradle.kts'], languages: JVM, parse: parseSettingsGradle },
  { names: ['pnpm-workspace.yaml'], languages: JAVASCRIPT, parse: parsePnpmWorkspace },
  { names: ['go.work'], languages: ['Go'], parse: parseGoWork },
  { names: ['justfile', 'Justfile', '.justfile'], languages: [], parse: parseJustfile },
  { names: ['Makefile', 'makefile', 'GNUmakefile'], languages: [], parse: parseMakefile },
];

/** Globs that match every known manifest, at any depth. */
export const MANIFEST_GLOBS: readonly string[] = MANIFEST_KINDS.flatMap(({ names }) => names.map((name) => `**/${name}`));

function isNamed(path: string, names: readonly string[]): boolean {
  const own = path.slice(path.lastIndexOf('/') + 1);
  return names.some((name) => (name.startsWith('*') ? own.endsWith(name.slice(1)) : own === name));
}

/** Whether a file has the name of a manifest. */
export function isManifest(name: string): boolean {
  return MANIFEST_KINDS.some(({ names }) => isNamed(name, names));
}

/**
 * Finds manifests among paths: the shallowest first, then those of the project's main language, then in table order; at
 * most `maximum`. Many projects have a package.json only for their website.
 */
export function findManifests(paths: readonly string[], maximum: number, language?: string): { path: string; parse: ParseManifest }[] {
  const depth = (path: string): number => path.split('/').length;
  const ranked = paths.flatMap((path) => {
    const rank = MANIFEST_KINDS.findIndex(({ names }) => isNamed(path, names));
    const kind = MANIFEST_KINDS[rank];
    if (kind === undefined) return [];
    return [{ path, rank, parse: kind.parse, isOther: Number(!kind.languages.some((one) => one === language)) }];
  });
  ranked.sort((a, b) => depth(a.path) - depth(b.path) || a.isOther - b.isOther || a.rank - b.rank || (a.path < b.path ? -1 : 1));
  // Use deeper folders only if the top has no manifest: members of a workspace add little.
  const shallowest = ranked[0] === undefined ? 0 : depth(ranked[0].path);
  return ranked.filter(({ path }) => depth(path) === shallowest).slice(0, maximum);
}
