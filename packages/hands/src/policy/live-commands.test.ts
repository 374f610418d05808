import { describe, expect, it } from 'vitest';
import type { PolicyFile } from './load-policy.ts';
import { readLiveCommands } from './live-commands.ts';
import { shellEffects } from './shell-effects.ts';

const file = (text: string, more: Partial<PolicyFile> = {}): PolicyFile => ({ layer: 'user', label: 'config.jsonc', text, ...more });
const LIVE = '{ "commands": { "live": ["npm run dev *", "make watch"] } }';
const why = (command: string, ...files: PolicyFile[]): string | undefined => readLiveCommands(files)?.(shellEffects(command, ''));

describe('commands.live', () => {
  it.each([
    ['npm run dev', true],
    ['npm run dev -- --port 3000', true],
    ['cd web && make watch', true],
    ['make', false],
    ['echo npm run dev', false],
    ['npm test', false],
  ])('%s: %s', (command, live) => {
    expect(why(command, file(LIVE))).toBe(
      live ? `commands.live has ${command.includes('make') ? 'make watch' : 'npm run dev *'} [config.jsonc]` : undefined,
    );
  });

  it('of a project counts only where a person trusts it', () => {
    expect(why('make watch', file(LIVE, { layer: 'project' }))).toBeUndefined();
    expect(why('make watch', file(LIVE, { layer: 'project', trusted: true }))).toContain('make watch');
  });

  it('says nothing by default', () => {
    expect(why('make watch', file('{}'), file(''))).toBeUndefined();
  });

  it.each(['[]', '{}', '{ "live": "make" }', '{ "live": [1] }', '{ "lvie": ["make"] }', '{ "live": [], "more": true }'])('refuses %s', (commands) => {
    expect(() => readLiveCommands([file(`{ "commands": ${commands} }`)])).toThrow('"commands" must be an object such as');
  });
});
