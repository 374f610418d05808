import { expect, it } from 'vitest';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { effectLines } from './effect-lines.ts';

const EFFECT: ShownEffect = { changes: [], more: 0, omitted: [], cautions: [] };

it('says what changes mean, then each change, with where links lead and other permissions', () => {
  const lines = effectLines({
    ...EFFECT,
    meaning: ['creates 3 files'],
    changes: [
      { kind: 'created', path: 'a', note: 'a link to /etc/passwd' },
      { kind: 'changed', path: 'run.sh', note: 'mode 644 → 4755' },
      { kind: 'created', path: 'src', note: 'a folder' },
      { kind: 'created', path: 'x.png', note: 'binary, 4B' },
      { kind: 'moved', path: 'b', from: 'c' },
    ],
    cautions: ['x'],
  });
  expect(lines).toEqual([
    'creates 3 files',
    'creates a (a link to /etc/passwd)',
    'changes run.sh (mode 644 → 4755)',
    'creates src',
    'creates x.png',
    'moves c → b',
    'note: x',
  ]);
});
