import type { Program } from '../program.ts';

/** Java and related languages, Maven and Gradle. */
export const programs: readonly Program[] = [
  { names: 'java', onlyReads: ['-version', '--version'], runs: 'code' },
  { names: 'jshell groovy scala kotlin', runs: 'code' },
  { names: 'mvn gradle ./gradlew', naming: 2 },
];
