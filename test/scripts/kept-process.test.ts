import { tmpdir } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keepProcess } from '../../scripts/kept-process.ts';

/** What a test file can leave changed, with how it is looked at. */
const CHANGES: Readonly<Record<string, readonly [change: () => void, look: () => unknown]>> = {
  timers: [() => vi.useFakeTimers(), () => vi.isFakeTimers()],
  'a mock of a method': [() => void vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort()), () => AbortSignal.timeout(60_000).aborted],
  'a stubbed global': [() => vi.stubGlobal('fetch', 'stub'), () => fetch],
  'an assigned global': [() => Object.assign(globalThis, { fetch: 'assigned' }), () => fetch],
  'a stubbed variable': [() => vi.stubEnv('HOME', '/stub'), () => process.env['HOME']],
  'a variable': [() => void (process.env['HOME'] = '/other'), () => process.env['HOME']],
  'a variable that is gone': [() => void delete process.env['PATH'], () => process.env['PATH']],
  'a new variable': [() => void (process.env['SYNAPSE_KEPT'] = '1'), () => process.env['SYNAPSE_KEPT']],
  'the mask of new files': [() => void process.umask(0o777), () => process.umask().toString(8)],
  'the folder': [() => process.chdir(tmpdir()), () => process.cwd()],
};

it.each(Object.keys(CHANGES))('puts back %s', (name) => {
  const [change, look] = CHANGES[name] ?? [() => {}, () => {}];
  const putBack = keepProcess();
  onTestFinished(putBack);
  const before = look();
  change();
  expect(look()).not.toEqual(before);
  putBack();
  expect(look()).toEqual(before);
});

it('leaves what a loaded module keeps in the process', () => {
  const key = '__kept_process__';
  onTestFinished(() => void Reflect.deleteProperty(globalThis, key));
  const putBack = keepProcess();
  Object.assign(globalThis, { [key]: 1 });
  putBack();
  expect(Reflect.get(globalThis, key)).toBe(1);
});
