import type { Program } from '../program.ts';

/** Rust: Cargo 1.8x and its tools. */
export const programs: readonly Program[] = [
  {
    names: 'cargo',
    codeOptions: '--config',
    onlyReads: ['--version', '-V', 'metadata *', 'tree *', 'locate-project *', 'pkgid *'],
    aliases: ['build = b', 'check = c', 'doc = d', 'run = r', 'test = t', 'remove = rm'],
    naming: { words: 2, deeper: 'xtask' },
    runsIn: { packages: ['install'] },
  },
  { names: 'rustc', onlyReads: ['--version', '-V'] },
  { names: 'rustup', naming: 2, runsIn: { commands: ['run'] } },
  { names: 'rustfmt clippy-driver', naming: 1 },
];
