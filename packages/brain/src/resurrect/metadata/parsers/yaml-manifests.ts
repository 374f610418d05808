import { parseYaml } from '../../../parse-yaml.ts';
import { asRecord, Lines } from '../lines.ts';
import { NO_FACTS, type ManifestFacts } from '../manifest.ts';

/** Parses Dart's pubspec.yaml. */
export async function parsePubspec(text: string): Promise<ManifestFacts> {
  const manifest = asRecord(await parseYaml(text));
  const lines = new Lines(text);
  const sdk = asRecord(manifest['environment'])['sdk'];
  return {
    name: lines.fact(manifest['name'], ['name:']),
    version: lines.fact(manifest['version'], ['version:']),
    description: lines.fact(manifest['description'], ['description:']),
    engine: lines.fact(typeof sdk === 'string' ? `Dart ${sdk}` : '', ['sdk:']),
    commands: [
      { purpose: 'test', value: asRecord(manifest['dependencies'])['flutter'] === undefined ? 'dart test' : 'flutter test', line: 1, isUsual: true },
    ],
    entryPoints: [],
    members: lines.facts(manifest['workspace'] ?? [], lines.find(['workspace:'])),
    dependencies: lines.facts(manifest['dependencies'] ?? {}, lines.find(['dependencies:'])),
    devDependencies: lines.facts(manifest['dev_dependencies'] ?? {}, lines.find(['dev_dependencies:'])),
  };
}

/** Parses pnpm's pnpm-workspace.yaml. */
export async function parsePnpmWorkspace(text: string): Promise<ManifestFacts> {
  const manifest = asRecord(await parseYaml(text));
  return { ...NO_FACTS, members: new Lines(text).facts(manifest['packages'] ?? []) };
}
