import { Lines } from '../lines.ts';
import { NO_FACTS, type Fact, type ManifestFacts } from '../manifest.ts';

const GEM = /^\s*gem\s*\(?\s*["']([^"']+)["']/u;
const DEVELOPMENT = /:(?:development|test)\b/u;

/** Splits the gems by group: gems in a development or test group are development dependencies. */
function gemsByGroup(lines: Lines): Pick<ManifestFacts, 'dependencies' | 'devDependencies'> {
  const groups = lines.matches(/^\s*(group\b.*\bdo|end)\b/u);
  const isDevelopment = ({ line }: Fact): boolean => {
    const opened = groups.findLast((group) => group.line < line);
    return (opened !== undefined && opened.value !== 'end' && DEVELOPMENT.test(opened.value)) || DEVELOPMENT.test(lines.at(line));
  };
  const gems = lines.matches(GEM);
  return { dependencies: gems.filter((gem) => !isDevelopment(gem)), devDependencies: gems.filter(isDevelopment) };
}

/** Parses the test task of a Rakefile. */
export function parseRakefile(text: string): ManifestFacts {
  const lines = new Lines(text);
  const task = lines.match(/^\s*(?:(?:Rake|Minitest)::TestTask\.(?:new|create)|RSpec::Core::RakeTask\.new|task)\s*\(?\s*:?["']?(test|spec)\b/u);
  // Minitest's task is called `test` by default.
  const unnamed = lines.match(/^\s*(Minitest::TestTask)\.create\s*(?:#.*)?$/u);
  const found = task ?? (unnamed === undefined ? undefined : { value: 'test', line: unnamed.line });
  return { ...NO_FACTS, commands: found === undefined ? [] : [{ purpose: 'test', value: `rake ${found.value}`, line: found.line }] };
}

/** Parses Bundler's Gemfile without running it. */
export function parseGemfile(text: string): ManifestFacts {
  const lines = new Lines(text);
  const engine = lines.match(/^\s*ruby\s+["']([^"']+)["']/u);
  return {
    ...NO_FACTS,
    engine: engine === undefined ? undefined : { ...engine, value: `Ruby ${engine.value}` },
    ...gemsByGroup(lines),
  };
}

/** Parses a gemspec. */
export function parseGemspec(text: string): ManifestFacts {
  const lines = new Lines(text);
  const field = (name: string): RegExp => new RegExp(`^\\s*\\w+\\.${name}\\s*=\\s*["']([^"'#]+)["']`, 'u');
  // Name and version may be on the first line instead.
  const first = String.raw`^\s*Gem::Specification\.new\s*\(?\s*["']`;
  return {
    ...NO_FACTS,
    name: lines.match(field('name')) ?? lines.match(new RegExp(String.raw`${first}([^"']+)["']`, 'u')),
    version: lines.match(field('version')) ?? lines.match(new RegExp(String.raw`${first}[^"']+["']\s*,\s*["']([^"']+)["']`, 'u')),
    description: lines.match(field('summary')) ?? lines.match(field('description')),
    dependencies: lines.matches(/^\s*\w+\.add_(?:runtime_)?dependency\s*\(?\s*["']([^"']+)["']/u),
    devDependencies: lines.matches(/^\s*\w+\.add_development_dependency\s*\(?\s*["']([^"']+)["']/u),
  };
}
