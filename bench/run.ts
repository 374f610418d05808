import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { brainCases } from './cases/brain.ts';
import { branchCases } from './cases/branches.ts';
import { callCases } from './cases/calls.ts';
import { commandCases } from './cases/commands.ts';
import { consoleCases } from './cases/console.ts';
import { httpCases } from './cases/http.ts';
import { mcpClientCases } from './cases/mcp-client.ts';
import { mcpCases } from './cases/mcp.ts';
import { mcpTrivialCases } from './cases/mcp-trivial.ts';
import { growthCases } from './cases/growth.ts';
import { edgeCases } from './cases/edge.ts';
import { dryRunCases } from './cases/dry-runs.ts';
import { launcherCases } from './cases/launcher.ts';
import { memoryCases } from './cases/memory.ts';
import { navigationCases } from './cases/navigation.ts';
import { processCases } from './cases/processes.ts';
import { programCases } from './cases/programs.ts';
import { proofCases } from './cases/proof.ts';
import { providerCases } from './cases/providers.ts';
import { remoteFaultCases } from './cases/remote-faults.ts';
import { remoteResultCases } from './cases/remote-results.ts';
import { remoteWorkerdCases } from './cases/remote-workerd.ts';
import { remoteCases } from './cases/remote.ts';
import { safetyCases } from './cases/safety.ts';
import { searchCases } from './cases/search.ts';
import { startCases } from './cases/start.ts';
import { taskCases } from './cases/tasks.ts';
import { tokenCases } from './cases/tokens.ts';
import { repository } from './corpus.ts';
import { markdown, type Row } from './result.ts';
import { makeScratch } from './scratch.ts';

/** The results after this marker are not written here. */
const KEPT = '<!-- kept: npm run soak -->';

using resources = new DisposableStack();
const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
// Gigabytes, which not every group needs.
const scratch = lazily(() => resources.use(makeScratch()));
const tree = lazily(repository);
const rows: Row[] = [];
const groups: ReadonlyArray<readonly [string, () => Promise<Row[]>]> = [
  ['calls', () => callCases(scratch())],
  ['providers', () => providerCases(scratch())],
  ['mcp', () => mcpCases(scratch())],
  ['mcp-trivial', () => mcpTrivialCases(scratch())],
  ['http', () => httpCases(scratch())],
  ['mcp-client', () => mcpClientCases(scratch())],
  ['tokens', tokenCases],
  ['tasks', taskCases],
  ['start', startCases],
  ['processes', () => processCases(tree(), scratch())],
  ['search', () => searchCases(tree())],
  ['safety', () => safetyCases(scratch())],
  ['dry-runs', dryRunCases],
  ['launcher', launcherCases],
  ['programs', programCases],
  ['commands', commandCases],
  ['branches', branchCases],
  ['proof', proofCases],
  ['edge', edgeCases],
  ['growth', () => growthCases(tree())],
  ['console', consoleCases],
  ['remote', remoteCases],
  ['remote-results', remoteResultCases],
  ['remote-faults', remoteFaultCases],
  ['remote-workerd', remoteWorkerdCases],
  ['memory', () => memoryCases(scratch())],
  ['navigation', navigationCases],
  ['brain', brainCases],
];
const wanted = process.argv.slice(2);
for (const [name, measureGroup] of groups) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await measureGroup()));
}

const countFiles = (): number => execFileSync('git', ['ls-files'], { cwd: tree(), maxBuffer: 1e9 }).toString().split('\n').length - 1;
const report = markdown(rows, [
  `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`,
  ...(wanted.length > 0 ? [] : [`Repository searched: ${countFiles().toLocaleString('en')} files; everything in the page cache`]),
  new Date().toISOString().slice(0, 10),
]);
process.stdout.write(report);
if (wanted.length === 0) {
  const file = fileURLToPath(new URL('RESULTS.md', import.meta.url));
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // Results that take too long for every run stay as last measured.
  const kept = before.includes(KEPT) ? `\n${before.slice(before.indexOf(KEPT))}` : '';
  writeFileSync(file, report + kept);
}
