import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { needsTerminal } from './needs-terminal.ts';

it.each([
  ['vim src/a.ts', 'vim'],
  ['cd src && nvim -O a.ts b.ts', 'nvim'],
  ['timeout 5 vi a.ts', 'vi'],
  ['vim -es -c "%s/a/b/" -c wq a.ts', undefined],
  ['vim +q a.ts', undefined],
  ['nvim --headless +checkhealth +qa', undefined],
  ['vim --version', undefined],
  ['printf ":wq\\n" | vim a.ts', undefined],
  ['vim a.ts < keys', undefined],
  ['grep vim README.md', undefined],
  ['vim "$OPTIONS" a.ts', undefined],
  ['less a.ts', undefined],
])('%s', (command, expected) => {
  expect(needsTerminal(command)).toBe(expected);
});

it('spends no time on a long command', () => {
  const started = computedMs();
  expect(needsTerminal(`vim ${'$('.repeat(60_000)}`)).toBeUndefined();
  expect(computedMs() - started).toBeLessThan(500);
});
