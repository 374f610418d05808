import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Parses Go's go.mod. */
export function parseGoMod(text: string): ManifestFacts {
  const lines = new Lines(text);
  const engine = lines.match(/^go\s+(\S+)/u);
  return {
    name: lines.match(/^module\s+"?([^\s"]+)/u),
    engine: engine === undefined ? undefined : { ...engine, value: `Go ${engine.value}` },
    commands: [{ purpose: 'test', value: 'go test ./...', line: 1, isUsual: true }],
    entryPoints: [],
    members: [],
    dependencies: lines.matches(/^(?:require\s+|\t)([\w.-]+\.[\w.-]+\/\S+)\s+v\S+(?!.*\/\/ indirect)/u),
  };
}

/** Parses Go's go.work. */
export function parseGoWork(text: string): ManifestFacts {
  const lines = new Lines(text);
  return { commands: [], entryPoints: [], members: lines.matches(/^\s*(?:use\s+)?(\.{1,2}\/\S*|\.)\s*$/u), dependencies: [] };
}
