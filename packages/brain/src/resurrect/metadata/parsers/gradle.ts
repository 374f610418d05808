import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Parses Gradle's build.gradle and build.gradle.kts without running them. Only literal values are found. */
export function parseBuildGradle(text: string): ManifestFacts {
  const lines = new Lines(text);
  return {
    version: lines.match(/^\s*version\s*=?\s*["']([^"'$]+)["']/u),
    description: lines.match(/^\s*description\s*=?\s*["']([^"'$]+)["']/u),
    commands: [{ purpose: 'test', value: 'gradle test', line: 1, isUsual: true }],
    entryPoints: lines.matches(/^\s*mainClass(?:Name)?(?:\.set\(|\s*=\s*)["']([^"']+)["']/u),
    members: [],
    dependencies: lines.matches(/^\s*(?:api|implementation|compileOnly)\s*\(?\s*["'][^"':]+:([^"':]+)/u),
    devDependencies: lines.matches(/^\s*test(?:Implementation|RuntimeOnly|CompileOnly)\s*\(?\s*["'][^"':]+:([^"':]+)/u),
  };
}

/** Parses Gradle's settings.gradle and settings.gradle.kts. */
export function parseSettingsGradle(text: string): ManifestFacts {
  const lines = new Lines(text);
  const included = lines
    .matches(/^\s*include\s*\(?(.*)$/u)
    .flatMap(({ value, line }) =>
      [...value.matchAll(/["']:?([^"']+)["']/gu)].flatMap(([, member]) => (member === undefined ? [] : [{ value: member, line }])),
    );
  return { name: lines.match(/rootProject\.name\s*=\s*["']([^"']+)["']/u), commands: [], entryPoints: [], members: included, dependencies: [] };
}
