import type { Program } from '../program.ts';

/** Python, its package managers, test runners and linters. */
export const programs: readonly Program[] = [
  { names: 'python', onlyReads: ['--version', '-V'], runs: 'code' },
  { names: 'python3', onlyReads: ['--version', '-V'] },
  { names: 'pypy ipython', runs: 'code' },
  { names: 'pip pip3', onlyReads: ['--version', 'list *', 'show *', 'freeze *'], naming: 2 },
  { names: 'pipx uvx', runs: 'packages' },
  {
    names: 'uv',
    onlyReads: ['--version', 'tree *', 'pip list *', 'pip show *', 'pip freeze *'],
    naming: { words: 2, deeper: 'pip' },
    runsIn: { packages: ['run', 'tool'] },
  },
  { names: 'poetry', naming: { words: 2, deeper: 'env' }, runsIn: { packages: ['run'] } },
  { names: 'pipenv', naming: 2, runsIn: { packages: ['run'] } },
  { names: 'conda', runsIn: { packages: ['run'] } },
  { names: 'pytest mypy ruff black flake8 tox', naming: 1 },
];
