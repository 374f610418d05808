import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SandboxBench } from '../testing/sandbox-bench.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { LocalProcesses } from '../process/local-processes.ts';
import { CommandProcesses } from './command-processes.ts';
import { DeniedPathIndex } from './denied-path-index.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { SandboxProcesses } from './sandbox-processes.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-cancelled-')));
const shown = join(base, 'shown');
mkdirSync(shown);

/** What takes forever until the test is over. */
let ended = Promise.withResolvers<never>();
beforeEach(() => {
  ended = Promise.withResolvers();
  ended.promise.catch(() => {});
});
afterEach(() => {
  ended.reject(new Error('the test is over'));
  vi.restoreAllMocks();
});

/** Aborts a signal when something that takes forever has begun. */
function abortedIn(): { readonly signal: AbortSignal; readonly begin: () => Promise<never> } {
  const controller = new AbortController();
  const begin = (): Promise<never> => {
    setImmediate(() => controller.abort(new Error('no longer wanted')));
    return ended.promise;
  };
  return { signal: controller.signal, begin };
}

describe.skipIf((await findBubblewrap()) === undefined)('a cancelled command does not wait', () => {
  it('for the look at the workspace', async () => {
    await using bench = await SandboxBench.open('root', { policy: { deniesRead: () => false } });
    const { signal, begin } = abortedIn();
    vi.spyOn(DeniedPathIndex.prototype, 'survey').mockImplementation(begin);
    await expect(bench.inside('true', { signal })).rejects.toThrow('no longer wanted');
  });

  it('for the look at a folder that a person shows', async () => {
    await using bench = await SandboxBench.open('root', { policy: { deniesRead: () => false, judged: [shown] } });
    await bench.inside('true');
    const { signal, begin } = abortedIn();
    const survey = vi.spyOn(DeniedPathIndex.prototype, 'survey');
    survey.mockResolvedValueOnce({ findings: [], complete: true, version: 0 }).mockImplementation(begin);
    await expect(bench.inside('true', { signal })).rejects.toThrow('no longer wanted');
    expect(survey).toHaveBeenCalledTimes(2);
  });

  it('for the search for files that have a second name', async () => {
    await using bench = await SandboxBench.open('root', { policy: { deniesRead: () => false } });
    const { signal, begin } = abortedIn();
    vi.spyOn(DeniedPathIndex.prototype, 'namesOutside').mockImplementation(begin);
    await expect(bench.inside('true', { signal })).rejects.toThrow('no longer wanted');
  });

  it('for the sandbox that a copy needs', async () => {
    using confinement = new HandleConfinement(base);
    const options = { processes: new LocalProcesses(), confinement, policy: {}, quarantineFolder: join(base, 'quarantine') };
    await using processes = new CommandProcesses('required', options);
    const { signal, begin } = abortedIn();
    vi.spyOn(SandboxProcesses, 'open').mockImplementation(begin);
    await expect(processes.withOverlays(signal)).rejects.toThrow('no longer wanted');
    ended.reject(new Error('the test is over'));
  });

  it('for the trial of a copy', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required' });
    const { signal, begin } = abortedIn();
    vi.spyOn(SandboxProcesses.prototype, 'runIn').mockImplementation(begin);
    expect(await at.hands.call('run_command', { command: 'true' }, { signal })).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('the trial of a copy', () => {
  it('looks at nothing, as its command reads nothing', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required', readable: [shown], policy: { deny: ['exec(npm publish*)'] } });
    const survey = vi.spyOn(DeniedPathIndex.prototype, 'survey');
    // The policy denies it after it knows how commands run here.
    expect(await at.hands.call('run_command', { command: 'npm publish' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(survey).not.toHaveBeenCalled();
    expect(await at.hands.call('run_command', { command: 'true' })).toMatchObject({ ok: true });
    expect(survey).toHaveBeenCalledTimes(2);
  });
});
