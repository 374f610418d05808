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
  readonly file: RegExp;
  readonly parse: ParseManifest;
}

/** Known manifests; where a project has several, the ones that tell most come first. */
export const MANIFEST_KINDS: readonly ManifestKind[] = [
  { file: /^package\.json$/u, parse: parsePackageJson },
  { file: /^Cargo\.toml$/u, parse: parseCargoToml },
  { file: /^pyproject\.toml$/u, parse: parsePyprojectToml },
  { file: /^go\.mod$/u, parse: parseGoMod },
  { file: /^deno\.jsonc?$/u, parse: parseDenoJson },
  { file: /^pom\.xml$/u, parse: parsePomXml },
  { file: /^build\.gradle(?:\.kts)?$/u, parse: parseBuildGradle },
  { file: /^composer\.json$/u, parse: parseComposerJson },
  { file: /^mix\.exs$/u, parse: parseMixExs },
  { file: /^pubspec\.yaml$/u, parse: parsePubspec },
  { file: /^Package\.swift$/u, parse: parseSwiftPackage },
  { file: /\.gemspec$/u, parse: parseGemspec },
  { file: /^Gemfile$/u, parse: parseGemfile },
  { file: /\.(?:cs|fs|vb)proj$/u, parse: parseCsproj },
  { file: /\.sln$/u, parse: parseSolution },
  { file: /^CMakeLists\.txt$/u, parse: parseCMakeLists },
  { file: /^setup\.cfg$/u, parse: parseSetupCfg },
  { file: /^setup\.py$/u, parse: parseSetupPy },
  { file: /^requirements\.txt$/u, parse: parseRequirementsTxt },
  { file: /^settings\.gradle(?:\.kts)?$/u, parse: parseSettingsGradle },
  { file: /^pnpm-workspace\.yaml$/u, parse: parsePnpmWorkspace },
  { file: /^go\.work$/u, parse: parseGoWork },
  { file: /^(?:GNUm|[Mm])akefile$/u, parse: parseMakefile },
];

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The manifests among paths: the shallowest first, then in the order of the table; at most `maximum`. */
export function findManifests(paths: readonly string[], maximum: number): { path: string; parse: ParseManifest }[] {
  const depth = (path: string): number => path.split('/').length;
  const ranked = paths.flatMap((path) => {
    const rank = MANIFEST_KINDS.findIndex(({ file }) => file.test(fileName(path)));
    const kind = MANIFEST_KINDS[rank];
    return kind === undefined ? [] : [{ path, rank, parse: kind.parse }];
  });
  ranked.sort((a, b) => depth(a.path) - depth(b.path) || a.rank - b.rank || (a.path < b.path ? -1 : 1));
  // Below the top folder only where the top has none: members of a workspace tell little that is new.
  const shallowest = ranked[0] === undefined ? 0 : depth(ranked[0].path);
  return ranked.filter(({ path }) => depth(path) === shallowest).slice(0, maximum);
}
