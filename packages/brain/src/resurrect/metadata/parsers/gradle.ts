import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Gradle's build.gradle and build.gradle.kts, as far as they say it plainly: they are programs, and never run. */
export function parseBuildGradle(text: string): ManifestFacts {
  const lines = new Lines(text);
  return {
    version: lines.match(/^\s*version\s*=?\s*["']([^"'$]+)["']/u),
    description: lines.match(/^\s*description\s*=?\s*["']([^"'$]+)["']/u),
    commands: [{ purpose: 'test', value: 'gradle test', line: 1 }],
    entryPoints: lines.matches(/^\s*mainClass(?:Name)?(?:\.set\(|\s*=\s*)["']([^"']+)["']/u),
    members: [],
    dependencies: lines.matches(/^\s*(?:api|implementation|compileOnly|testImplementation)\s*\(?\s*["'][^"':]+:([^"':]+)/u),
  };
}

/** Gradle's settings.gradle and settings.gradle.kts. */
export function parseSettingsGradle(text: string): ManifestFacts {
  const lines = new Lines(text);
  const included = lines
    .matches(/^\s*include\s*\(?(.*)$/u)
    .flatMap(({ value, line }) =>
      [...value.matchAll(/["']:?([^"']+)["']/gu)].flatMap(([, member]) => (member === undefined ? [] : [{ value: member, line }])),
    );
  return { name: lines.match(/rootProject\.name\s*=\s*["']([^"']+)["']/u), commands: [], entryPoints: [], members: included, dependencies: [] };
}
