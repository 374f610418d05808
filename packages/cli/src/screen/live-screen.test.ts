import { expect, it, vi } from 'vitest';
import type { Output } from '../output/output.ts';
import { LiveScreen } from './live-screen.ts';

/** A screen, and what it wrote since the last look. */
function opened() {
  let written = '';
  const write = (text: string): void => void (written += text);
  const under: Output = { isTerminal: true, columns: 60, write, show: () => undefined };
  const typed = { text: 'half a li', cursor: 9, waiting: ['then this'] };
  const screen = new LiveScreen({ write, size: () => ({ columns: 60, rows: 24 }), color: false, typed: () => typed }, under);
  const seen = (): string => {
    const before = written;
    written = '';
    return before;
  };
  return { screen, out: screen.output(under), seen };
}

it('shows the area again after a question, whose answer ended its line', async () => {
  const { screen, out, seen } = opened();
  screen.start('Thinking');
  expect(seen()).toContain('half a li');
  await screen.paused(async () => {
    out.write('Allow it?\nYour answer: ');
    expect(seen()).not.toContain('half a li');
  });
  expect(seen()).toContain('half a li');
  screen.tell('Writing');
  expect(seen()).toContain('Writing');
  screen.stop();
});

it('shows the area after a question between two turns', () => {
  const { screen, out, seen } = opened();
  out.write('Undo it? ');
  seen();
  screen.start('Thinking');
  expect(seen()).toContain('next: then this');
  screen.stop();
});

it('leaves a line alone that another writer has not ended', () => {
  const { screen, out, seen } = opened();
  screen.start('Thinking');
  out.write('part of a line');
  seen();
  screen.tell('Writing');
  expect(seen()).toBe('');
  screen.print([[{ text: 'next line' }]]);
  expect(seen()).toMatch(/^\n.*next line/su);
  screen.stop();
});

it('counts time from the beginning of a turn, and says nothing of the turn before', () => {
  vi.useFakeTimers();
  try {
    const { screen, seen } = opened();
    screen.start('Thinking');
    screen.tellFacts('77 tokens');
    vi.advanceTimersByTime(90_000);
    expect(seen()).toContain('1 min 30 s · 77 tokens');
    screen.stop();
    seen();
    screen.start('Thinking');
    vi.advanceTimersByTime(2_000);
    const shown = seen();
    expect(shown).toContain('2 s');
    expect(shown).not.toMatch(/min|tokens/u);
    screen.stop();
  } finally {
    vi.useRealTimers();
  }
});
