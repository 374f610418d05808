import { expect, it } from 'vitest';
import { nextSteps } from './next-steps.ts';

it.each([
  ['/home/ada/shop', {}, 'synapse mcp --workspace /home/ada/shop\n'],
  ["/home/ada/my 'shop'", {}, String.raw`synapse mcp --workspace '/home/ada/my '\''shop'\'''` + '\n'],
  ['/home/ada/shop', { npm_command: 'run-script' }, 'npm start -- mcp --workspace /home/ada/shop\n'],
])('gives commands that can be copied: %s %j', (folder, environment, line) => {
  const text = nextSteps(folder, environment);
  expect(text).toContain(`   ${line}`);
  expect(text).toContain(`createHands({ workspace: ${JSON.stringify(folder)} })`);
});

it('gives a command a line of its own where it does not fit beside its label', () => {
  const lines = nextSteps('/home/ada/projects/a-shop-with-a-long-name', {}, 80).split('\n');
  expect(lines).toContain('  in a browser');
  expect(lines).toContain('    synapse console --workspace /home/ada/projects/a-shop-with-a-long-name --open');
  expect(lines).toContain('  all commands       synapse --help');
});
