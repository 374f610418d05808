import { Lines } from '../lines.ts';
import { NO_FACTS, type ManifestFacts } from '../manifest.ts';

/** Bundler's Gemfile: a program, read but never run. */
export function parseGemfile(text: string): ManifestFacts {
  const lines = new Lines(text);
  const engine = lines.match(/^\s*ruby\s+["']([^"']+)["']/u);
  return {
    ...NO_FACTS,
    engine: engine === undefined ? undefined : { ...engine, value: `Ruby ${engine.value}` },
    dependencies: lines.matches(/^\s*gem\s*\(?\s*["']([^"']+)["']/u),
  };
}

/** A gem's specification. */
export function parseGemspec(text: string): ManifestFacts {
  const lines = new Lines(text);
  const field = (name: string): RegExp => new RegExp(`^\\s*\\w+\\.${name}\\s*=\\s*["']([^"']+)["']`, 'u');
  // Name and version may stand in the first line instead.
  const first = String.raw`^\s*Gem::Specification\.new\s*\(?\s*["']`;
  return {
    ...NO_FACTS,
    name: lines.match(field('name')) ?? lines.match(new RegExp(String.raw`${first}([^"']+)["']`, 'u')),
    version: lines.match(field('version')) ?? lines.match(new RegExp(String.raw`${first}[^"']+["']\s*,\s*["']([^"']+)["']`, 'u')),
    description: lines.match(field('summary')) ?? lines.match(field('description')),
    dependencies: lines.matches(/^\s*\w+\.add_(?:runtime_|development_)?dependency\s*\(?\s*["']([^"']+)["']/u),
  };
}
