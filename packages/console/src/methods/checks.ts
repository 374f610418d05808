import { resurrect } from '@synapse/brain';
import type { CallResult } from '@synapse/protocol';
import type { ConsoleCheck } from '@synapse/protocol/console';
import type { Handlers, MethodContext } from './method.ts';
import { CONSOLE_SESSION } from './tools.ts';

type Step = ConsoleCheck['steps'][number];

/** Files that projects usually have, for a real read. */
const LIKELY = ['README.md', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'Makefile', 'README'];

async function timed(name: string, work: () => Promise<Pick<Step, 'ok' | 'detail'>>): Promise<Step> {
  const startedAt = performance.now();
  const { ok, detail } = await work();
  return { name, ok, detail, ms: performance.now() - startedAt };
}

function called({ project, signal }: MethodContext, tool: string, input: unknown): Promise<CallResult> {
  return project.hands.call(tool, input, { signal, sessionId: CONSOLE_SESSION });
}

async function firstFile(context: MethodContext): Promise<string | undefined> {
  for (const path of LIKELY) if ((await called(context, 'file_info', { path })).ok) return path;
  const found = await called(context, 'find_files', { pattern: '*' });
  return found.ok ? found.output.split('\n').find((line) => line !== '' && !line.startsWith('[')) : undefined;
}

/** The three checks of the debug page. Each makes real calls through all stages of the pipeline. */
const CHECKS: Readonly<Record<ConsoleCheck['check'], (context: MethodContext) => Promise<Step[]>>> = {
  read: async (context) => {
    const path = await firstFile(context);
    if (path === undefined) return [{ name: 'Find a file', ok: false, ms: 0, detail: 'The project has no file to read.' }];
    return [
      await timed(`read_file ${path}`, async () => {
        const result = await called(context, 'read_file', { path });
        return { ok: result.ok, detail: result.ok ? result.meta.summary : result.error.message };
      }),
    ];
  },
  protocol: async ({ project, signal }) => {
    const { steps, complete } = await resurrect(project.hands, { signal, sessionId: CONSOLE_SESSION });
    const done = steps.map(({ title, ms, calls }): Step => ({ name: title, ok: true, ms, detail: `${calls} ${calls === 1 ? 'call' : 'calls'}` }));
    return complete ? done : [...done, { name: 'Report', ok: false, ms: 0, detail: 'A step could not do its work; the report is not complete.' }];
  },
  errors: async (context) => {
    const expectCode = (name: string, input: unknown, codes: readonly string[]): Promise<Step> =>
      timed(name, async () => {
        const result = await called(context, 'read_file', input);
        if (result.ok) return { ok: false, detail: 'It was answered, where an error is right.' };
        return { ok: codes.includes(result.error.code), detail: `${result.error.code}: ${result.error.message}` };
      });
    return [
      await expectCode('read_file nonexistent.txt', { path: 'nonexistent.txt' }, ['not_found']),
      await expectCode('read_file ../outside.txt', { path: '../outside.txt' }, ['outside_workspace', 'denied', 'approval_required']),
      await expectCode('read_file without a path', {}, ['invalid_arguments']),
    ];
  },
};

export const checks: Handlers<'checks'> = {
  'checks.run': async ({ check }, context) => {
    const startedAt = performance.now();
    const steps = await CHECKS[check](context);
    return { check, steps, ok: steps.every(({ ok }) => ok), ms: performance.now() - startedAt };
  },
};
