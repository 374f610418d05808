import { asRecord, Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';
import { parseJson } from './json-text.ts';
import { scriptCommands } from './package-json.ts';

/** Parses Deno's deno.json and deno.jsonc. */
export function parseDenoJson(text: string): ManifestFacts {
  const manifest = asRecord(parseJson(text));
  const lines = new Lines(text);
  return {
    name: lines.fact(manifest['name'], ['"name"', ':']),
    version: lines.fact(manifest['version'], ['"version"', ':']),
    commands: scriptCommands(manifest['tasks'], lines, (task) => `deno task ${task}`, lines.find(['"tasks"', ':'])),
    entryPoints: typeof manifest['exports'] === 'string' ? [{ value: manifest['exports'], line: lines.find(['"exports"', ':']) }] : [],
    members: lines.facts(Array.isArray(manifest['workspace']) ? manifest['workspace'] : [], lines.find(['"workspace"', ':'])),
    dependencies: lines.facts(manifest['imports'], lines.find(['"imports"', ':'])),
  };
}
