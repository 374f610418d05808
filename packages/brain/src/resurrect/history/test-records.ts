import { asRecord } from '../metadata/lines.ts';
import { atFile, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import type { Structure } from '../structure/discover-structure.ts';

/** The record of a failed test run on disk. */
export interface FailedRun {
  readonly path: string;
  /** Time of the record in milliseconds since 1970. */
  readonly modified: number;
  readonly count: number;
  /** Names of failed tests, if the record has them. */
  readonly names: readonly string[];
  readonly evidence: Evidence;
}

/** Parses a record. May throw on other content. */
type ParseRecord = (text: string) => { readonly count: number; readonly names: readonly string[] };

const named = (names: readonly string[]): ReturnType<ParseRecord> => ({ count: names.length, names });
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].flatMap(([, name]) => (name === undefined ? [] : [name]));

/** PHPUnit's codes for failures and errors, before version 10 and since. */
const PHP_DEFECTS: ReadonlySet<unknown> = new Set([3, 4, 7, 8]);

const XML_CASE = /<testcase\b(?<attributes>[^>]*[^/])>\s*(?:<(?:failure|error)\b)/gu;

function junit(text: string): ReturnType<ParseRecord> {
  const names = [...text.matchAll(XML_CASE)].map(({ groups = {} }) => {
    const attribute = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`, 'u').exec(groups['attributes'] ?? '')?.[1] ?? '';
    return [attribute('classname'), attribute('name')].filter((part) => part !== '').join(' ');
  });
  return named(names);
}

const PARSERS = {
  pytest: (text) => named(Object.entries(asRecord(JSON.parse(text))).flatMap(([name, failed]) => (failed === true ? [name] : []))),
  playwright: (text) => {
    const { status, failedTests } = asRecord(JSON.parse(text));
    return { count: status === 'failed' && Array.isArray(failedTests) ? failedTests.length : 0, names: [] };
  },
  vitest: (text) => {
    const { results } = asRecord(JSON.parse(text));
    const failed = (Array.isArray(results) ? results : []).flatMap((entry: unknown) => {
      const [file, outcome] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
      return typeof file === 'string' && asRecord(outcome)['failed'] === true ? [file.replace(/^[^:]*:/u, '').replace(/^\//u, '')] : [];
    });
    return named(failed);
  },
  ctest: (text) => named(matches(text, /^\d+:(.+)$/gmu)),
  rspec: (text) => named(matches(text, /^(\S+)\s*\|\s*failed\s*\|/gmu)),
  phpunit: (text) =>
    named(Object.entries(asRecord(asRecord(JSON.parse(text))['defects'])).flatMap(([name, how]) => (PHP_DEFECTS.has(how) ? [name] : []))),
  junit,
  trx: (text) => named(matches(text, /<UnitTestResult\b(?=[^>]*\boutcome="Failed")[^>]*\btestName="([^"]+)"/gu)),
  log: (text) =>
    named([
      ...new Set([
        ...matches(text, /^\s*--- FAIL: (\S+)/gmu),
        ...matches(text, /^test (\S+) \.\.\. FAILED$/gmu),
        ...matches(text, /^FAILED (\S+)/gmu),
        ...matches(text, /^\s*not ok \d+ -? ?([^#\n]+?)\s*$/gmu),
        ...matches(text, /^\s*(?:✗|✘|×|✖)\s+(\S.*?)(?:\s+\(?\d+(?:\.\d+)?\s*m?s\)?)?$/gmu),
      ]),
    ]),
} satisfies Record<string, ParseRecord>;

/** The file of a test, for records whose names have it: relative to a folder of the project, which is mostly the top one. */
const FILE_OF: Partial<Record<keyof typeof PARSERS, RegExp>> = {
  pytest: /^(?<file>[^:]+)/u,
  vitest: /^(?<file>.+)$/u,
  rspec: /^(?:\.\/)?(?<file>[^[]+)/u,
};

/** Records of test runners: folder, file name and parser. */
const RECORDS: readonly { readonly folder: string; readonly file: RegExp; readonly parser: keyof typeof PARSERS }[] = [
  { folder: '.pytest_cache/v/cache', file: /^lastfailed$/u, parser: 'pytest' },
  { folder: 'test-results', file: /^\.last-run\.json$/u, parser: 'playwright' },
  { folder: 'node_modules/.vite/vitest', file: /^results\.json$/u, parser: 'vitest' },
  { folder: 'build/Testing/Temporary', file: /^LastTestsFailed\.log$/u, parser: 'ctest' },
  { folder: 'spec', file: /^examples\.txt$/u, parser: 'rspec' },
  { folder: '.', file: /^\.phpunit\.result\.cache$/u, parser: 'phpunit' },
  { folder: '.phpunit.cache', file: /^test-results$/u, parser: 'phpunit' },
  { folder: 'target/surefire-reports', file: /\.xml$/u, parser: 'junit' },
  { folder: 'target/nextest/default', file: /^junit\.xml$/u, parser: 'junit' },
  { folder: 'build/test-results/test', file: /\.xml$/u, parser: 'junit' },
  { folder: 'test-results', file: /\.xml$/u, parser: 'junit' },
  { folder: 'TestResults', file: /\.trx$/u, parser: 'trx' },
  { folder: '.', file: /^(?:junit|test-results|test-report|report)\.xml$/u, parser: 'junit' },
  { folder: '.', file: /^(?:tests?|test[-_](?:output|results|run|log))\.(?:log|txt|out|tap)$/u, parser: 'log' },
];
/** Maximum number of records per folder. Some runners write one per test class. */
const MAXIMUM_FILES = 20;
/** Folder depth. Vitest stores its record in a subfolder named after the project's settings. */
const DEPTH = 2;

/**
 * Reads the records that test runners left of their last run, without running anything. Returns the newest with failures in tests that still
 * exist: some runners keep those of files that were deleted or moved since.
 *
 * @param structure the names in its top folder, including ignored ones, are the folders that are searched
 */
export async function readTestRecords(ask: Ask, structure: Pick<Structure, 'topNames' | 'paths' | 'partial'>): Promise<FailedRun | undefined> {
  const { topNames } = structure;
  const top = new Set(topNames);
  const here = RECORDS.filter(({ folder, file }) =>
    folder === '.' ? topNames.some((name) => file.test(name)) : top.has(folder.split('/')[0] ?? ''),
  );
  const runs = await Promise.all(
    here.map(async ({ folder, file, parser }): Promise<FailedRun | undefined> => {
      const listed = await ask('list_directory', { path: folder, depth: folder === '.' ? 1 : DEPTH, hidden: true });
      const entries = listed.ok ? listed.data.entries.filter(({ type, name }) => type === 'file' && file.test(name)).slice(0, MAXIMUM_FILES) : [];
      const parts = await Promise.all(
        entries.map(async ({ path, modified }) => {
          const answer = await ask('read_file', { path });
          const found = answer.ok ? withoutGone(parse(PARSERS[parser], answer.data.content), FILE_OF[parser], structure) : undefined;
          return answer.ok && found !== undefined && found.count > 0 ? [{ ...found, path, modified, evidence: atFile(answer, path) }] : [];
        }),
      );
      const failed = parts.flat();
      const [first] = failed;
      if (first === undefined) return undefined;
      return {
        path: first.path,
        evidence: first.evidence,
        modified: Math.max(...failed.map(({ modified }) => modified)),
        count: failed.reduce((sum, { count }) => sum + count, 0),
        names: failed.flatMap(({ names }) => names),
      };
    }),
  );
  return runs.filter((run) => run !== undefined).toSorted((a, b) => b.modified - a.modified)[0];
}

/** A record without the tests whose file is not in the project any more. */
function withoutGone(
  found: ReturnType<ParseRecord> | undefined,
  fileOf: RegExp | undefined,
  { paths, partial }: Pick<Structure, 'paths' | 'partial'>,
): ReturnType<ParseRecord> | undefined {
  if (found === undefined || fileOf === undefined || partial) return found;
  const exists = (name: string): boolean => {
    const file = fileOf.exec(name)?.groups?.['file'];
    return file === undefined || paths.some((path) => path === file || path.endsWith(`/${file}`));
  };
  return named(found.names.filter(exists));
}

function parse(parser: ParseRecord, text: string): ReturnType<ParseRecord> | undefined {
  try {
    return parser(text);
  } catch {
    // The content does not match the name.
    return undefined;
  }
}
