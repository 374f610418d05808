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
