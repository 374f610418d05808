import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { callCases } from './cases/calls.ts';
import { httpCases } from './cases/http.ts';
import { mcpClientCases } from './cases/mcp-client.ts';
import { mcpCases } from './cases/mcp.ts';
import { mcpTrivialCases } from './cases/mcp-trivial.ts';
import { growthCases } from './cases/growth.ts';
import { dryRunCases } from './cases/dry-runs.ts';
import { memoryCases } from './cases/memory.ts';
import { processCases } from './cases/processes.ts';
import { providerCases } from './cases/providers.ts';
import { safetyCases } from './cases/safety.ts';
import { startCases } from './cases/start.ts';
import { repository } from './corpus.ts';
import { markdown, type Row } from './result.ts';
import { makeScratch } from './scratch.ts';

using resources = new DisposableStack();
const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
// Gigabytes, that not every group needs.
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
  ['start', startCases],
  ['processes', () => processCases(tree(), scratch())],
  ['safety', () => safetyCases(scratch())],
  ['dry-runs', dryRunCases],
  ['growth', () => growthCases(tree())],
  ['memory', () => memoryCases(scratch())],
];
const wanted = process.argv.slice(2);
for (const [name, measureGroup] of groups) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await measureGroup()));
}

const files = execFileSync('git', ['ls-files'], { cwd: tree(), maxBuffer: 1e9 }).toString().split('\n').length - 1;
const report = markdown(rows, [
  `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`,
  `Repository searched: ${files.toLocaleString('en')} files; everything in the page cache`,
  new Date().toISOString().slice(0, 10),
]);
process.stdout.write(report);
if (wanted.length === 0) writeFileSync(fileURLToPath(new URL('RESULTS.md', import.meta.url)), report);
