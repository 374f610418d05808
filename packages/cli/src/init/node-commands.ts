import * as z from 'zod';
import { isCheck, type FoundCommands, type ReadManifest } from './manifest.ts';

const Names = z.record(z.string(), z.unknown()).catch({});
const Manifest = z.object({
  scripts: Names.optional(),
  dependencies: Names.optional(),
  devDependencies: Names.optional(),
  packageManager: z.string().optional().catch(undefined),
});

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Lock files by package manager, for manifests that do not name one. */
const LOCKS: ReadonlyArray<readonly [file: string, manager: Manager]> = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

export const LOCK_FILES: readonly string[] = LOCKS.map(([file]) => file);

/** How to run a script. */
const RUN: Record<Manager, (script: string) => readonly string[]> = {
  npm: (script) => [...(script === 'test' ? ['npm test *'] : []), `npm run ${script} *`],
  pnpm: (script) => [...(script === 'test' ? ['pnpm test *'] : []), `pnpm run ${script} *`],
  yarn: (script) => [`yarn ${script} *`, `yarn run ${script} *`],
  bun: (script) => [`bun run ${script} *`],
};

/** Programs of packages. A rule for one covers `npx`, too. */
const PROGRAMS: Readonly<Record<string, string>> = {
  vitest: 'vitest',
  jest: 'jest',
  mocha: 'mocha',
  ava: 'ava',
  typescript: 'tsc',
  'vue-tsc': 'vue-tsc',
  eslint: 'eslint',
  prettier: 'prettier',
  '@biomejs/biome': 'biome',
  oxlint: 'oxlint',
  oxfmt: 'oxfmt',
};

/** A script name that can be written in a rule without quoting. */
const PLAIN = /^[\w:.-]+$/u;

function managerOf(declared: string | undefined, read: ReadManifest): Manager {
  const named = /^(npm|pnpm|yarn|bun)@/u.exec(declared ?? '')?.[1];
  return (named as Manager | undefined) ?? LOCKS.find(([file]) => read(file) !== undefined)?.[1] ?? 'npm';
}

/** The commands of a package.json: its scripts, and the programs of its dependencies. */
export function nodeCommands(read: ReadManifest): FoundCommands[] {
  const text = read('package.json');
  if (text === undefined) return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Invalid JSON: no package manager can use it either.
    return [];
  }
  const manifest = Manifest.safeParse(json);
  if (!manifest.success) return [];
  const { scripts = {}, dependencies, devDependencies, packageManager } = manifest.data;
  const manager = managerOf(packageManager, read);
  const checks = Object.keys(scripts).filter((script) => PLAIN.test(script) && isCheck(script));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  const programs = packages.flatMap((name) => (Object.hasOwn(PROGRAMS, name) ? [`${PROGRAMS[name]} *`] : []));
  return [{ from: `package.json (${manager})`, commands: [...checks.flatMap(RUN[manager]), ...programs] }];
}
