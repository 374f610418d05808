// A program of its own, so that a test can run it as another user: `overlay-demonstration WORKSPACE SCRATCH COMMAND`.
import { LocalProcesses } from '../process/local-processes.ts';
import { runOnOverlay } from '../sandbox/overlay.ts';
import { SandboxProcesses } from '../sandbox/sandbox-processes.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';

const [workspace = '', folder = '', command = ''] = process.argv.slice(2);
using confinement = new HandleConfinement(workspace);
const processes = new LocalProcesses();
const policy = { home: [], deniesRead: (path: string) => path.endsWith('.env') };
await using sandbox = await SandboxProcesses.open({ processes, confinement, policy, quarantineFolder: `${folder}/quarantine` });
let output = '';
const startedAt = performance.now();
await using run = await runOnOverlay({
  sandbox,
  processes,
  confinement,
  folder,
  request: {
    argv: ['/bin/sh', '-c', command],
    cwd: () => confinement.openDirectory([]),
    hardened: true,
    signal: AbortSignal.timeout(20_000),
    onOutput: (_, chunk) => void (output += chunk.toString()),
  },
});
const milliseconds = performance.now() - startedAt;
const changes = [];
for (const { kind, path, type, mode, modeBefore, target, open } of run.difference.changes) {
  using file = open?.();
  const content = file === undefined ? undefined : (await file.read(0, 100)).toString();
  changes.push({ kind, path, type, mode, modeBefore, target: target?.toString(), content });
}
process.stdout.write(JSON.stringify({ output, milliseconds, exitCode: run.outcome.exitCode, complete: run.difference.complete, changes }));
