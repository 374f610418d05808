import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

const field = (name: string): RegExp => new RegExp(`<${name}>\\s*([^<$][^<]*?)\\s*</${name}>`, 'u');

/** Packages used only for tests and builds. */
const FOR_TESTS = /^(?:xunit|nunit|mstest|moq|nsubstitute|fluentassertions|coverlet|microsoft\.net\.test|microsoft\.sourcelink|stylecop)/iu;

/** Parses .NET project files: *.csproj, *.fsproj, *.vbproj. */
export function parseCsproj(text: string): ManifestFacts {
  const lines = new Lines(text);
  const packages = lines.matches(/<PackageReference\s+Include="([^"]+)"/u);
  return {
    name: lines.match(field('PackageId')) ?? lines.match(field('AssemblyName')),
    version: lines.match(field('Version')) ?? lines.match(field('VersionPrefix')),
    description: lines.match(field('Description')),
    engine: lines.match(field('TargetFrameworks?')) ?? lines.match(/<TargetFrameworks>\s*([^<]+?)\s*</u),
    commands: [{ purpose: 'test', value: 'dotnet test', line: 1, isUsual: true }],
    entryPoints: [],
    members: [],
    dependencies: packages.filter(({ value }) => !FOR_TESTS.test(value)),
    devDependencies: packages.filter(({ value }) => FOR_TESTS.test(value)),
  };
}

/** Parses .NET solution files. Solution folders have a different type id and are not projects. */
export function parseSolution(text: string): ManifestFacts {
  const members = new Lines(text).matches(/^Project\("(?!\{2150E333-8FDC-42A3-9474-1A3956D46DE8\})[^"]*"\)\s*=\s*"([^"]+)"/iu);
  return { commands: [{ purpose: 'test', value: 'dotnet test', line: 1, isUsual: true }], entryPoints: [], members, dependencies: [] };
}
