import { expect, it } from 'vitest';
import { checkApprovedTools } from './approved-tools.ts';

it.each([[[]], [['run_command', 'undo']], [['write_*']], [['*']], [['mcp:github:*', 'mcp:x:y']]])('takes %j', (names) => {
  expect(checkApprovedTools(names)).toEqual(names);
});

it.each([
  ['Bash', ''],
  ['claude-code:Bash', ''],
  ['run_comand', 'Did you mean run_command?'],
  ['synapse:run_command', 'Did you mean run_command?'],
  ['xyz*', ''],
])('refuses %s, which no question has', (name, hint) => {
  expect(() => checkApprovedTools(['read_file', name])).toThrow(
    expect.objectContaining({
      code: 'invalid_arguments',
      message: `--approves does not know "${name}".`,
      hint: expect.stringContaining(hint) as string,
    }),
  );
});
