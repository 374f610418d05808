import type { Program } from '../program.ts';

/** Compilers of C, C++ and Swift. */
export const programs: readonly Program[] = [
  { names: 'gcc clang', codeOptions: '@* -wrapper -B* -specs -fplugin* -fuse-ld -Xclang -load -plugin --config', onlyReads: ['--version'] },
  { names: 'g++ cc c++ clang++', codeOptions: '@* -wrapper -B* -specs -fplugin* -fuse-ld -Xclang -load -plugin --config' },
  { names: 'swift', naming: 2, runs: 'code' },
];
