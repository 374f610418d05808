// The checks of this repository, each a command. `npm run test:all` runs all of them, `npm test` those that each commit needs, and
// `npm run check` the quick ones.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { environmentOf, installNodeVersions, OTHER_VERSIONS, testsOn } from './node-versions.mjs';
import { collect, pinnedNode, prepare, root, run, show } from './prepare.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);
const packages = ['protocol', 'hands', 'mcp-server', 'brain', 'remote', 'console', 'cli'];

/** Static checks: name and command lines. */
const STATIC = {
  types: [
    // Keeps what it found out: the next run takes a sixth of the time.
    [bin('tsc'), '-p', '.', '--incremental', '--tsBuildInfoFile', join('node_modules', '.synapse', 'types.tsbuildinfo')],
    [bin('tsc'), '-p', join('packages', 'console', 'src', 'page')],
  ],
  lint: [[bin('oxlint'), '--type-aware', '--deny-warnings']],
  format: [[bin('oxfmt'), '--check', '.']],
  unused: [[bin('knip'), '--no-progress']],
  publish: packages.map((name) => [bin('publint'), join('packages', name), '--strict']),
  exports: packages.slice(0, -1).map((name) => [bin('attw'), '--pack', join('packages', name), '--profile', 'esm-only']),
  docs: [[pinnedNode, '--conditions=synapse-source', join('scripts', 'docs.ts'), '--check']],
};

/** How many static checks run at once: most are one process on one core. */
const STATIC_LANES = 2;

/** Those about the packages as they are published. */
const OF_PUBLISHING = ['exports', 'publish'];

/** Test files that `npm test` leaves out: they take long, and few changes need them. */
const HEAVY = '**/*.heavy.process.test.ts';

/** Runs static checks, the long ones first. */
async function runEachStatic(leftOut, totals) {
  const order = ['lint', 'exports', 'types', 'docs', 'unused', 'publish', 'format'];
  const missing = Object.keys(STATIC).filter((name) => !order.includes(name));
  if (missing.length > 0) throw new Error(`Not run: ${missing.join(', ')}`);
  const waiting = order.filter((name) => !leftOut.includes(name));
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runStatic(name, totals);
  };
  await Promise.all(Array.from({ length: STATIC_LANES }, work));
}

async function runStatic(name, totals) {
  const started = performance.now();
  let output = '';
  let failed = false;
  for (const [command, ...rest] of STATIC[name]) {
    const result = await collect(typeof command === 'function' ? command() : command, rest);
    output += result.output;
    failed = result.code !== 0;
    if (failed) break;
  }
  totals[failed ? 'failed' : 'passed'] += 1;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${output}${failed ? 'FAILED' : 'ok    '} ${name} (${seconds} s)\n`);
}

/** Number of test files whose time is printed. */
const MOST_TIMES = 40;

/** The files that took longest, and the sum of all: where the time of a run goes. */
function slowest(files) {
  const times = files.map(({ name, startTime, endTime }) => ({ path: relative(root, name), seconds: (endTime - startTime) / 1000 }));
  const sum = times.reduce((total, { seconds }) => total + seconds, 0);
  const lines = times
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, MOST_TIMES)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}\n`);
  return `Test files that took longest, of ${sum.toFixed(0)} s for all:\n${lines.join('')}`;
}

async function runVitest(words, totals) {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-tests-'));
  const report = join(folder, 'report.json');
  const code = await show(bin('vitest'), ['run', ...words, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    totals.passed += numPassedTests;
    totals.failed += numFailedTests;
    totals.skipped += numPendingTests + numTodoTests;
    // A file that fails to load reports no failed test.
    if (code !== 0 && numFailedTests === 0) totals.failed += 1;
    if (testResults.length > MOST_TIMES) process.stdout.write(slowest(testResults));
  } catch (error) {
    process.stderr.write(`vitest left no report: ${error.message}\n`);
    totals.failed += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the unit tests that may differ there on another version of Node, as one check. */
async function runOnNode(version, totals) {
  const started = performance.now();
  const command = await testsOn(version, ['--project=unit', '--reporter=dot']);
  if (command === undefined) {
    totals.skipped += 1;
    process.stdout.write(`skipped unit tests on Node ${version}, which is not installed\n`);
    return;
  }
  const [program, ...words] = command;
  const { code, output } = await collect(program, words, { ...environmentOf(program), ONLY_WHAT_MAY_DIFFER: '1' });
  totals[code === 0 ? 'passed' : 'failed'] += 1;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok    ' : `${output}FAILED`} unit tests on Node ${version} (${seconds} s)\n`);
}

/** Makes a folder for temporary files of all that is started, and returns a function that removes it: tests leave thousands of folders. */
function ownTemporaryFolder() {
  // Short, because a path of a socket has at most 108 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'st-'));
  // As the one it is in: some tests run as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      process.stderr.write(`Temporary files are left in ${folder}: ${error.message}\n`);
    }
  };
}

/** Runs checks and tests, prints the totals on the last line, and sets the exit code. */
async function runSteps(runAll) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const removeTemporaryFiles = ownTemporaryFolder();
  try {
    await runAll(totals);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    totals.failed += 1;
  } finally {
    removeTemporaryFiles();
  }
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  process.stdout.write(`${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
  process.exitCode = totals.failed > 0 ? 1 : 0;
}

/** The inner loop: all at once, on the sources. */
export async function runQuickly() {
  await runSteps(async (totals) => {
    await prepare({ build: false });
    await Promise.all([...['types', 'lint', 'format'].map((name) => runStatic(name, totals)), runVitest(['--project=unit'], totals)]);
  });
}

/** Runs the tests that some words name, also heavy ones. */
export async function runNamed(filters) {
  await runSteps(async (totals) => {
    await prepare();
    await runVitest(filters, totals);
  });
}

/** What each commit needs: static checks, and after them all tests but the heavy ones, as tests of processes need the cores. */
export async function runUsual() {
  await runSteps(async (totals) => {
    await prepare();
    await runEachStatic(OF_PUBLISHING, totals);
    await runVitest(['--exclude', HEAVY], totals);
  });
}

/** Everything: static checks, all tests, and tests on other versions of Node, after each other. */
export async function runAll() {
  await runSteps(async (totals) => {
    await prepare();
    // Not before: an installation of packages empties the folder that these are in.
    installNodeVersions();
    // What builds the documentation site, so that its test installs nothing.
    run(pinnedNode(), [join(root, 'scripts', 'site', 'build.mjs'), '--install']);
    await runEachStatic([], totals);
    await runVitest([], totals);
    for (const version of OTHER_VERSIONS) await runOnNode(version, totals);
  });
}
