import { Lines } from '../lines.ts';
import { NO_FACTS, type Command, type ManifestFacts } from '../manifest.ts';

const first = (text: string, pattern: RegExp, purpose: Command['purpose'], value: string): Command[] => {
  const found = new Lines(text).match(pattern);
  return found === undefined ? [] : [{ purpose, value, line: found.line }];
};

/** Parses Meson's meson.build. */
export function parseMesonBuild(text: string): ManifestFacts {
  const lines = new Lines(text);
  return {
    ...NO_FACTS,
    name: lines.match(/^\s*project\s*\(\s*'([^']+)'/u),
    version: lines.match(/^\s*(?:project\s*\(.*)?\bversion\s*:\s*'(\d[^']*)'/u),
    // Tests are often in the files of subfolders.
    commands: first(text, /^\s*(test\s*\(|subdir\s*\(\s*'tests?'\s*\))/u, 'test', 'meson setup build && meson test -C build'),
    entryPoints: lines.matches(/^\s*(?:\w+\s*=\s*)?executable\s*\(\s*'([^']+)'/u),
  };
}

const RECIPES = [
  { purpose: 'test', pattern: /^@?(test|tests)\b[^:=]*:(?!=)/u },
  { purpose: 'build', pattern: /^@?(build)\b[^:=]*:(?!=)/u },
  { purpose: 'check', pattern: /^@?(check|lint)\b[^:=]*:(?!=)/u },
] as const;

/** Parses the well-known recipes of a justfile. */
export function parseJustfile(text: string): ManifestFacts {
  const lines = new Lines(text);
  const commands = RECIPES.flatMap(({ purpose, pattern }): Command[] => {
    const recipe = lines.match(pattern);
    return recipe === undefined ? [] : [{ purpose, value: `just ${recipe.value}`, line: recipe.line }];
  });
  return { ...NO_FACTS, commands };
}

/** Parses Zig's build.zig. */
export function parseBuildZig(text: string): ManifestFacts {
  return { ...NO_FACTS, commands: first(text, /\.step\(\s*("test")/u, 'test', 'zig build test') };
}

/** Parses a package of Cabal. */
export function parseCabal(text: string): ManifestFacts {
  const lines = new Lines(text);
  return {
    ...NO_FACTS,
    name: lines.match(/^name:\s*(\S+)/iu),
    version: lines.match(/^version:\s*(\d[\d.]*)/iu),
    description: lines.match(/^synopsis:\s*(\S.*)$/iu),
    commands: first(text, /^(test-suite\s+\S+)/iu, 'test', 'cabal test'),
    entryPoints: lines.matches(/^executable\s+(\S+)/iu),
  };
}
