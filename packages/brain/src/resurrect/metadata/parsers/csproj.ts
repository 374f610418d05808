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

/** .NET's solution files. A folder of a solution has a type of its own, and is no project. */
export function parseSolution(text: string): ManifestFacts {
  const members = new Lines(text).matches(/^Project\("(?!\{2150E333-8FDC-42A3-9474-1A3956D46DE8\})[^"]*"\)\s*=\s*"([^"]+)"/iu);
  return { commands: [{ purpose: 'test', value: 'dotnet test', line: 1 }], entryPoints: [], members, dependencies: [] };
}
