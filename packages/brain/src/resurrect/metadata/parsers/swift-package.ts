import { Lines } from '../lines.ts';
import { NO_FACTS, type ManifestFacts } from '../manifest.ts';

/** Parses Swift's Package.swift without running it. */
export function parseSwiftPackage(text: string): ManifestFacts {
  const lines = new Lines(text);
  const engine = lines.match(/^\/\/\s*swift-tools-version:\s*(\S+)/u);
  return {
    ...NO_FACTS,
    name: lines.match(/^\s*(?:let package = Package\(\s*)?name:\s*"([^"]+)"/u),
    engine: engine === undefined ? undefined : { ...engine, value: `Swift ${engine.value}` },
    commands: [{ purpose: 'test', value: 'swift test', line: 1, isUsual: true }],
    dependencies: lines.matches(/\.package\(\s*(?:name:[^,]+,\s*)?url:\s*"([^"]+)"/u),
  };
}
