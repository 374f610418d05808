import { asRecord, Lines } from '../lines.ts';
import type { Fact, ManifestFacts } from '../manifest.ts';

/** Parses Rust's Cargo.toml: a package, a workspace or both. */
export async function parseCargoToml(text: string): Promise<ManifestFacts> {
  const { parse } = await import('smol-toml');
  const manifest = asRecord(parse(text));
  const lines = new Lines(text);
  const packageLine = lines.find(['[package]']);
  const workspace = asRecord(manifest['workspace']);
  const shared = asRecord(workspace['package']);
  const own = asRecord(manifest['package']);
  // `version.workspace = true` takes the value from the workspace.
  const field = (key: string, inherited = lines.find(['[workspace.package]'])): Fact | undefined =>
    lines.fact(own[key], [key, '='], packageLine) ?? lines.fact(shared[key], [key, '='], inherited);
  const programs = Array.isArray(manifest['bin']) ? manifest['bin'].map((bin) => asRecord(bin)['name']) : [];
  const engine = field('rust-version');
  return {
    name: field('name'),
    version: field('version'),
    description: field('description'),
    engine: engine === undefined ? undefined : { ...engine, value: `Rust ${engine.value}` },
    commands: [
      { purpose: 'test', value: 'cargo test', line: 1, isUsual: true },
      ...(programs.length > 0 ? [{ purpose: 'start' as const, value: 'cargo run', line: lines.find(['[[bin]]']) }] : []),
    ],
    entryPoints: lines.facts(programs, lines.find(['[[bin]]'])),
    members: lines.facts(workspace['members'] ?? [], lines.find(['members'])),
    dependencies: [
      ...lines.facts(manifest['dependencies'] ?? {}, lines.find(['[dependencies'])),
      ...lines.facts(workspace['dependencies'] ?? {}, lines.find(['[workspace.dependencies'])),
    ],
  };
}
