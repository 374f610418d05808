import { vi } from 'vitest';

/** Objects of the language and of Node: `fetch`, `Date`. Those of Vitest and of loaded modules belong to the process, not to a test file. */
const isBuiltin = (name: string): boolean => !name.startsWith('_');

/** Keeps what a test file may change of its process. The returned function puts it back: timers, mocks, globals, environment, folder and mask. */
export function keepProcess(): () => void {
  const folder = process.cwd();
  const mask = process.umask();
  const environment = { ...process.env };
  const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(
    ([name, descriptor]) => isBuiltin(name) && 'value' in descriptor && descriptor.configurable === true,
  );
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    for (const [name, descriptor] of globals) {
      if (Object.getOwnPropertyDescriptor(globalThis, name)?.value !== descriptor.value) Object.defineProperty(globalThis, name, descriptor);
    }
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(environment, name)) delete process.env[name];
    Object.assign(process.env, environment);
    process.umask(mask);
    process.chdir(folder);
  };
}
