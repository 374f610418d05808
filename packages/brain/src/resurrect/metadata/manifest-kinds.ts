import type { ParseManifest } from './manifest.ts';
import { parseCargoToml } from './parsers/cargo-toml.ts';
import { parseCMakeLists } from './parsers/cmake.ts';
import { parseComposerJson } from './parsers/composer-json.ts';
import { parseCsproj, parseSolution } from './parsers/csproj.ts';
import { parseDenoJson } from './parsers/deno-json.ts';
import { parseGoMod, parseGoWork } from './parsers/go-mod.ts';
import { parseBuildGradle, parseSettingsGradle } from './parsers/gradle.ts';
import { parseMakefile } from './parsers/makefile.ts';
import { parseMixExs } from './parsers/mix-exs.ts';
import { parsePackageJson } from './parsers/package-json.ts';
import { parsePomXml } from './parsers/pom-xml.ts';
import { parsePyprojectToml } from './parsers/pyproject-toml.ts';
import { parseRequirementsTxt } from './parsers/requirements-txt.ts';
import { parseGemfile, parseGemspec } from './parsers/ruby.ts';
import { parseSetupCfg, parseSetupPy } from './parsers/setup-cfg.ts';
import { parseSwiftPackage } from './parsers/swift-package.ts';
import { parsePnpmWorkspace, parsePubspec } from './parsers/yaml-manifests.ts';

/** A kind of manifest: how its file is called, and how it is read. */
export interface ManifestKind {
  /** File names; a star at the beginning stands for any text. */
  readonly names: readonly string[];
  readonly parse: ParseManifest;
}

/** Known manifests; where a project has several, the ones that tell most come first. */
export const MANIFEST_KINDS: readonly ManifestKind[] = [
  { names: ['package.json'], parse: parsePackageJson },
  { names: ['Cargo.toml'], parse: parseCargoToml },
  { names: ['pyproject.toml'], parse: parsePyprojectToml },
  { names: ['go.mod'], parse: parseGoMod },
  { names: ['deno.json', 'deno.jsonc'], parse: parseDenoJson },
  { names: ['pom.xml'], parse: parsePomXml },
  { names: ['build.gradle', 'build.gradle.kts'], parse: parseBuildGradle },
  { names: ['composer.json'], parse: parseComposerJson },
  { names: ['mix.exs'], parse: parseMixExs },
  { names: ['pubspec.yaml'], parse: parsePubspec },
  { names: ['Package.swift'], parse: parseSwiftPackage },
  { names: ['*.gemspec'], parse: parseGemspec },
  { names: ['Gemfile'], parse: parseGemfile },
  { names: ['*.csproj', '*.fsproj', '*.vbproj'], parse: parseCsproj },
  { names: ['*.sln'], parse: parseSolution },
  { names: ['CMakeLists.txt'], parse: parseCMakeLists },
  { names: ['setup.cfg'], parse: parseSetupCfg },
  { names: ['setup.py'], parse: parseSetupPy },
  { names: ['requirements.txt'], parse: parseRequirementsTxt },
  { names: ['settings.gradle', 'settings.gradle.kts'], parse: parseSettingsGradle },
  { names: ['pnpm-workspace.yaml'], parse: parsePnpmWorkspace },
  { names: ['go.work'], parse: parseGoWork },
  { names: ['Makefile', 'makefile', 'GNUmakefile'], parse: parseMakefile },
];

/** Globs that match every known manifest, at any depth. */
export const MANIFEST_GLOBS: readonly string[] = MANIFEST_KINDS.flatMap(({ names }) => names.map((name) => `**/${name}`));

function isNamed(path: string, names: readonly string[]): boolean {
  const own = path.slice(path.lastIndexOf('/') + 1);
  return names.some((name) => (name.startsWith('*') ? own.endsWith(name.slice(1)) : own === name));
}

/** The manifests among paths: the shallowest first, then in the order of the table; at most `maximum`. */
export function findManifests(paths: readonly string[], maximum: number): { path: string; parse: ParseManifest }[] {
  const depth = (path: string): number => path.split('/').length;
  const ranked = paths.flatMap((path) => {
    const rank = MANIFEST_KINDS.findIndex(({ names }) => isNamed(path, names));
    const kind = MANIFEST_KINDS[rank];
    return kind === undefined ? [] : [{ path, rank, parse: kind.parse }];
  });
  ranked.sort((a, b) => depth(a.path) - depth(b.path) || a.rank - b.rank || (a.path < b.path ? -1 : 1));
  // Below the top folder only where the top has none: members of a workspace tell little that is new.
  const shallowest = ranked[0] === undefined ? 0 : depth(ranked[0].path);
  return ranked.filter(({ path }) => depth(path) === shallowest).slice(0, maximum);
}
