import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Parses Elixir's mix.exs without running it. */
export function parseMixExs(text: string): ManifestFacts {
  const lines = new Lines(text);
  const engine = lines.match(/^\s*elixir:\s*"([^"]+)"/u);
  return {
    name: lines.match(/^\s*app:\s*:(\w+)/u),
    version: lines.match(/^\s*(?:version:|@version)\s*"([^"]+)"/u),
    description: lines.match(/^\s*(?:description:|@description)\s*"([^"]+)"/u),
    engine: engine === undefined ? undefined : { ...engine, value: `Elixir ${engine.value}` },
    commands: [{ purpose: 'test', value: 'mix test', line: 1, isUsual: true }],
    entryPoints: [],
    members: lines.matches(/^\s*apps_path:\s*"([^"]+)"/u),
    dependencies: lines.matches(/^\s*\{:(\w+),(?!.*\bonly:)/u),
    devDependencies: lines.matches(/^\s*\{:(\w+),(?=.*\bonly:)/u),
  };
}
