import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Blanks the content of an element, so that only the project's own fields remain. Line numbers stay the same. */
function without(text: string, element: string): string {
  let rest = text;
  let at = 0;
  // Searches by index: a pattern with `[^]*?` would be quadratic on a file of opening tags.
  for (;;) {
    const start = rest.indexOf(`<${element}>`, at);
    const end = start === -1 ? -1 : rest.indexOf(`</${element}>`, start);
    if (end === -1) return rest;
    rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/gu, ' ') + rest.slice(end);
    at = end;
  }
}

const field = (name: string): RegExp => new RegExp(`<${name}>\\s*([^<$][^<]*?)\\s*</${name}>`, 'u');

/** Parses Maven's pom.xml. */
export function parsePomXml(text: string): ManifestFacts {
  const own = new Lines(['parent', 'dependencies', 'dependencyManagement', 'build', 'profiles', 'reporting'].reduce(without, text));
  const all = new Lines(text);
  const name = own.match(field('artifactId'));
  // Plugins build a project; they are not its dependencies.
  const used = new Lines(['parent', 'dependencyManagement', 'build', 'profiles', 'reporting', 'exclusions'].reduce(without, text));
  const needed = used.matches(field('artifactId')).filter(({ line }) => line !== name?.line);
  // `<scope>test</scope>` follows the name, before the next one.
  const scopes = used.matches(field('scope'));
  const testOnly = new Set(
    needed.flatMap(({ line }, index) => {
      const next = needed[index + 1]?.line ?? Infinity;
      return scopes.some((scope) => scope.value === 'test' && scope.line >= line && scope.line < next) ? [line] : [];
    }),
  );
  const java = all.match(field('maven.compiler.release')) ?? all.match(field('java.version')) ?? all.match(field('maven.compiler.source'));
  return {
    name,
    version: own.match(field('version')),
    description: own.match(field('description')) ?? own.match(field('name')),
    engine: java === undefined ? undefined : { ...java, value: `Java ${java.value}` },
    commands: [{ purpose: 'test', value: 'mvn test', line: 1, isUsual: true }],
    entryPoints: [],
    members: own.matches(field('module')),
    dependencies: needed.filter(({ line }) => !testOnly.has(line)),
    devDependencies: needed.filter(({ line }) => testOnly.has(line)),
  };
}
