import { Lines } from '../lines.ts';
import { NO_FACTS, type Command, type ManifestFacts } from '../manifest.ts';

const TARGETS = [
  { purpose: 'test', pattern: /^(test|tests)\s*:(?!=)/u },
  { purpose: 'start', pattern: /^(run|start|serve|dev)\s*:(?!=)/u },
  { purpose: 'build', pattern: /^(build|all)\s*:(?!=)/u },
  { purpose: 'check', pattern: /^(check|lint)\s*:(?!=)/u },
] as const;

/** Parses the well-known targets of a Makefile. */
export function parseMakefile(text: string): ManifestFacts {
  const lines = new Lines(text);
  const commands = TARGETS.flatMap(({ purpose, pattern }): Command[] => {
    const target = lines.match(pattern);
    return target === undefined ? [] : [{ purpose, value: `make ${target.value}`, line: target.line }];
  });
  const hasTest = commands.some(({ purpose }) => purpose === 'test');
  // By the conventions of GNU, `check` runs the tests.
  return {
    ...NO_FACTS,
    commands: commands.map((command) => (!hasTest && command.value === 'make check' ? { ...command, purpose: 'test' } : command)),
  };
}

/** What gives a target `check` something to do: tests here, or folders that have their own. */
const CHECKED = /^\s*(TESTS|check_[A-Z]+|check-local|SUBDIRS)\s*\+?[=:]/u;

/** Parses an Automake file: its generated Makefile has a target `check`. */
export function parseMakefileAm(text: string): ManifestFacts {
  const checked = new Lines(text).match(CHECKED);
  return { ...NO_FACTS, commands: checked === undefined ? [] : [{ purpose: 'test', value: 'make check', line: checked.line }] };
}
