import { Lines } from '../lines.ts';
import { NO_FACTS, type Fact, type ManifestFacts } from '../manifest.ts';

const GEM = /^\s*gem\s*\(?\s*["']([^"']+)["']/u;
/** Groups that are not needed to run the program. */
const DEVELOPMENT = /:(?:development|dev|tests?|docs?|documentation|lint|ci|maintenance|rubocop|tools?|debug|profile|benchmark)\b/u;
/** Begins a block, but for `if` at the end of a line. */
const BLOCK = /^\s*(?:if|unless|case|begin|while|until|def|class|module)\b|\bdo\b\s*(?:\|[^|]*\|)?\s*$/u;
const BLOCK_END = /^\s*end\b/u;

/** Returns the names without repetitions. */
const unique = (facts: readonly Fact[]): Fact[] => [...new Map(facts.toReversed().map((fact) => [fact.value, fact])).values()].toReversed();

/**
 * Splits the gems by group. The gems that a Gemfile adds to those of a gemspec are tools of its developers, as are gems
 * in a group for development.
 */
function gemsByGroup(text: string): Pick<ManifestFacts, 'dependencies' | 'devDependencies'> {
  const lines = text.split(/\r\n|\n|\r/u).map((line) => line.replace(/^\s*#.*$/u, ''));
  const isOfGem = lines.some((line) => /^\s*gemspec\b/u.test(line));
  const open: boolean[] = [];
  const gems = lines.flatMap((line, index) => {
    if (BLOCK_END.test(line)) open.pop();
    const name = GEM.exec(line)?.[1];
    const isDevelopment = isOfGem || open.includes(true) || (name !== undefined && DEVELOPMENT.test(line));
    if (BLOCK.test(line)) open.push(/^\s*group\b/u.test(line) && DEVELOPMENT.test(line));
    return name === undefined ? [] : [{ value: name, line: index + 1, isDevelopment }];
  });
  const facts = (development: boolean): Fact[] =>
    unique(gems.filter(({ isDevelopment }) => isDevelopment === development).map(({ value, line }) => ({ value, line })));
  return { dependencies: facts(false), devDependencies: facts(true) };
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
    ...gemsByGroup(text),
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
