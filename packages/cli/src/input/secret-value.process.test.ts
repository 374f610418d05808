import { expect, it } from 'vitest';
import { secretValue } from './secret-value.ts';

const asking = {
  err: { isTerminal: false, columns: 80, write() {}, show() {} },
  stdin: process.stdin,
  signal: new AbortController().signal,
};
const from = async (command: string, commandMs?: number, signal = asking.signal): Promise<string> =>
  await secretValue({ fromEnv: undefined, fromCommand: command }, 'A_KEY', { ...asking, signal }, commandMs);

it('reads what a command prints', async () => {
  expect(await from('echo value-of-it')).toBe('value-of-it\n');
});

it.each<readonly [command: string, message: string]>([
  ['exit 3', 'The command that prints the secret failed.'],
  ['echo value-of-it; exit 3', 'The command that prints the secret failed.'],
  ['kill -9 $$', 'The command that prints the secret failed.'],
  ['true', 'The command that prints the secret printed nothing.'],
  ['echo', 'The command that prints the secret printed nothing.'],
  ['yes', 'The command that prints the secret prints more than 64 KiB.'],
])('%j is one sentence', async (command, message) => {
  await expect(from(command)).rejects.toThrow(message);
});

it.each(['sleep 2', 'echo value-of-it; sleep 2 & exit 0'])('ends in time: %j', async (command) => {
  await expect(from(command, 300)).rejects.toThrow('The command that prints the secret did not end in 0.3 seconds.');
});

it('ends when it is interrupted', async () => {
  const stop = new AbortController();
  const reading = from('sleep 2 & sleep 2', undefined, stop.signal);
  setImmediate(() => stop.abort());
  await expect(reading).rejects.toThrow('interrupted');
});
