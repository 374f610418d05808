import { asRecord, Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';
import { parseJson } from './json-text.ts';
import { scriptCommands } from './package-json.ts';

/** Parses PHP's composer.json. */
export function parseComposerJson(text: string): ManifestFacts {
  const manifest = asRecord(parseJson(text));
  const lines = new Lines(text);
  const requireLine = lines.find(['"require"', ':']);
  const required = asRecord(manifest['require']);
  return {
    name: lines.fact(manifest['name'], ['"name"', ':']),
    version: lines.fact(manifest['version'], ['"version"', ':']),
    description: lines.fact(manifest['description'], ['"description"', ':']),
    engine: lines.fact(typeof required['php'] === 'string' ? `PHP ${required['php']}` : '', ['"php"'], requireLine),
    commands: scriptCommands(manifest['scripts'], lines, (script) => `composer ${script}`, lines.find(['"scripts"', ':'])),
    entryPoints: [],
    members: [],
    dependencies: lines.facts(
      Object.keys(required).filter((name) => name.includes('/')),
      requireLine,
    ),
    devDependencies: lines.facts(manifest['require-dev'], lines.find(['"require-dev"', ':'])),
  };
}
