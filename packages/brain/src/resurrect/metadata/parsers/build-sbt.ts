import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Parses Scala's build.sbt without running it. Only literal values are found. */
export function parseBuildSbt(text: string): ManifestFacts {
  const lines = new Lines(text);
  const scala = lines.match(/^\s*(?:ThisBuild\s*\/\s*)?scalaVersion\s*:=\s*"([^"]+)"/u);
  return {
    name: lines.match(/^\s*name\s*:=\s*"([^"]+)"/u),
    version: lines.match(/^\s*(?:ThisBuild\s*\/\s*)?version\s*:=\s*"([^"]+)"/u),
    description: lines.match(/^\s*description\s*:=\s*"([^"]+)"/u),
    engine: scala === undefined ? undefined : { ...scala, value: `Scala ${scala.value}` },
    commands: [{ purpose: 'test', value: 'sbt test', line: 1, isUsual: true }],
    entryPoints: [],
    members: [],
    dependencies: lines.matches(/"[^"]+"\s*%%?%?\s*"([^"]+)"\s*%\s*"[^"]+"(?!\s*%\s*(?:Test|"test"))/u),
    devDependencies: lines.matches(/"[^"]+"\s*%%?%?\s*"([^"]+)"\s*%\s*"[^"]+"\s*%\s*(?:Test|"test")/u),
  };
}
