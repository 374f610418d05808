import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

const field = (name: string): RegExp => new RegExp(`<${name}>\\s*([^<$][^<]*?)\\s*</${name}>`, 'u');

/** .NET's project files: *.csproj, *.fsproj, *.vbproj. */
export function parseCsproj(text: string): ManifestFacts {
  const lines = new Lines(text);
  return {
    name: lines.match(field('PackageId')) ?? lines.match(field('AssemblyName')),
    version: lines.match(field('Version')) ?? lines.match(field('VersionPrefix')),
    description: lines.match(field('Description')),
    engine: lines.match(field('TargetFrameworks?')) ?? lines.match(/<TargetFrameworks>\s*([^<]+?)\s*</u),
    commands: [{ purpose: 'test', value: 'dotnet test', line: 1 }],
    entryPoints: [],
    members: [],
    dependencies: lines.matches(/<PackageReference\s+Include="([^"]+)"/u),
  };
}

/** .NET's solution files. */
export function parseSolution(text: string): ManifestFacts {
  const members = new Lines(text).matches(/^Project\("[^"]*"\)\s*=\s*"([^"]+)"/u);
  return { commands: [{ purpose: 'test', value: 'dotnet test', line: 1 }], entryPoints: [], members, dependencies: [] };
}
