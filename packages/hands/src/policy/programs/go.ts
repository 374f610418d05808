import type { Program } from '../program.ts';

/** Go. */
export const programs: readonly Program[] = [
  {
    names: 'go',
    codeOptions: '-toolexec -exec -vettool -overlay -C -ldflags -gccgoflags -modfile',
    onlyReads: ['version *', 'env', 'list *'],
    naming: 2,
    runsIn: { code: ['run', 'generate', 'tool'] },
  },
  { names: 'gofmt', naming: 1 },
];
