import { expect, it } from 'vitest';
import { PROJECT_RESURRECTION } from './project-resurrection.ts';

it('has the five steps of its contract, of which only the log may be missing', () => {
  expect(PROJECT_RESURRECTION).toMatchObject({ id: 'project-resurrection', title: 'Deep Project Analysis' });
  expect(PROJECT_RESURRECTION.steps.map(({ id, optional }) => [id, optional])).toEqual([
    ['step-01-discover-structure', false],
    ['step-02-read-metadata', false],
    ['step-03-analyze-git', false],
    ['step-04-read-devlog', true],
    ['step-05-synthesize', false],
  ]);
});
