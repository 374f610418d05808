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
  return { ...NO_FACTS, commands };
}
