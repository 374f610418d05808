import { expect, it } from 'vitest';
import type { Output } from '../output/output.ts';
import { ReportScreen } from './show-report.ts';

function screen(columns: number): { out: Output; text: () => string; links: string[] } {
  let text = '';
  const links: string[] = [];
  const out: Output = {
    isTerminal: true,
    columns,
    show: () => {},
    write: (part, style, address) => {
      text += style === undefined || style === 'dim' ? part : `<${style}>${part}</>`;
      if (address !== undefined) links.push(address);
    },
  };
  return { out, text: () => text, links };
}

it('renders headings, lists, code, evidence and links to files', () => {
  const { out, text, links } = screen(80);
  new ReportScreen(out, '/p').show('## Next\n\n1. Look at `src/a b.ts`: `x` now. (`src/a.ts:3`, `git_log`)\n- One\n');
  expect(text()).toBe('<bold>Next\n</>\n1. Look at <cyan>src/a </><cyan>b.ts</>: <cyan>x</> now.  src/a.ts:3, git_log\n• One\n');
  expect(links).toEqual(['file:///p/src/a.ts']);
});

it.each([20, 40, 79])('keeps every line within %s columns, and no comma alone', (columns) => {
  const { out, text } = screen(columns);
  new ReportScreen(out, '/p').show('- Some `words of code`, `and`, `more` of them (very many) by now. (`a.ts:1`, `b.ts:2`, `c.ts:3`)\n');
  const lines = text()
    .replaceAll(/<[^>]*>/gu, '')
    .trimEnd()
    .split('\n');
  expect(Math.max(...lines.map((line) => line.trimEnd().length))).toBeLessThan(columns);
  expect(lines.every((line) => !/^\s*[,.]/u.test(line))).toBe(true);
  expect(lines.slice(1).every((line) => line.startsWith('  '))).toBe(true);
});
