import { extension } from '../resurrect/structure/languages.ts';
import { familyOf } from '../resurrect/history/definitions.ts';
import { isAside, isTest } from '../resurrect/history/path-kinds.ts';

/** Folders below the tests that hold what tests need, and checks of types. */
const SUPPORT =
  /(?:^|\/)(?:support|helpers?|utils?|shared|common|fixtures?|mocks?|__mocks__|stubs?|data|static|assets|views|templates|typings?|types?|type[-_]check|test_?apps?|testserver|ui)\//iu;
/** Files of that kind, by name. */
const SUPPORT_FILE =
  /(?:^|\/)(?:conftest\.py|(?:test|spec)?_?(?:helpers?|setup|support|utils?)\.\w+|setup[^/]*\.\w+|env\.\w+|mod\.rs|(?:index|__init__)\.\w+)$/iu;

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path: string): string => fileName(path).replace(/\.[^.]*$/u, '');
const folders = (path: string): string[] => path.split('/').slice(0, -1);
/** Names that say where a file is, not what it is. */
const PLACE = /^(?:src|lib|source|app|packages?|tests?|specs?|__tests__|unit|java|kotlin|main|integration)$/iu;

/** Returns the name of what a test tests, from the name of its file. */
function subjectOf(path: string): string {
  return stemOf(path)
    .replace(/^(?:tests?|spec)[-_.]/iu, '')
    .replace(/[-_.](?:tests?|specs?)$/iu, '')
    .replace(/(?<=[a-z\d])(?:Tests?|Spec)$/u, '')
    .replace(/^Test(?=[A-Z])/u, '');
}
/** Whether the name of a file says that it is a test, wherever it is. */
const isMarked = (path: string): boolean => subjectOf(path) !== stemOf(path);

/** Whether a file is a test itself, not something that tests use. */
export function isTestFile(path: string): boolean {
  if (!isTest(path) || isAside(path) || familyOf(path).length === 0) return false;
  return isMarked(path) || !(SUPPORT.test(path) || SUPPORT_FILE.test(path));
}

/** Whether a test is in the folder that corresponds to that of a file: the same one, or the same path below the tests. */
function mirrors(test: string, path: string): boolean {
  const places = (each: string): string =>
    folders(each)
      .filter((name) => !PLACE.test(name))
      .join('/');
  return places(test) === places(path);
}

/** Names that many folders have. */
const COMMON = /^(?:index|main|mod|lib|__init__|types?|utils?|helpers?|constants|config)$/u;

/** Returns the tests of a file by their names, the one in the corresponding folder first. */
export function testsOf(path: string, paths: readonly string[]): string[] {
  const family = familyOf(path);
  const subject = stemOf(path).toLowerCase();
  const named = paths.filter((test) => {
    if (test === path || !family.includes(extension(test)) || subjectOf(test).toLowerCase() !== subject) return false;
    if (!isTest(test) || isAside(test)) return false;
    // A helper of the tests may have the same name as a file that they test.
    return isMarked(test) || mirrors(test, path) || isTestFile(test);
  });
  const close = named.filter((test) => mirrors(test, path));
  const found = close.length > 0 ? close : COMMON.test(subject) ? [] : named;
  return found.toSorted((a, b) => a.split('/').length - b.split('/').length || a.length - b.length);
}

const EXAMPLES = /(?:^|\/)(?:examples?|samples?|demos?)\//iu;
const SIMPLE = /hello|basic|simple|quick|getting|intro|first/iu;
const OVERALL = /^(?:basic|main|app|usage|integration|all|api|core)$/iu;

/** Returns the file that shows best how a project is used: an example, or else a test of the whole. */
export function usageOf(paths: readonly string[], names: readonly string[]): string | undefined {
  const rank = (path: string): number => {
    const subject = subjectOf(path).toLowerCase();
    return Number(SIMPLE.test(path)) * 2 + Number(names.includes(subject)) * 3 + Number(OVERALL.test(subject));
  };
  const best = (found: readonly string[]): string | undefined =>
    found.toSorted((a, b) => rank(b) - rank(a) || a.split('/').length - b.split('/').length || a.length - b.length || (a < b ? -1 : 1))[0];
  const isCode = (path: string): boolean => familyOf(path).length > 0 && !/(?:^|\/)(?:node_modules|vendor|third[-_]party)\//u.test(path);
  const examples = paths.filter((path) => EXAMPLES.test(path) && isCode(path) && !isTest(path));
  const known = new Set(paths);
  return best(examples) ?? best(paths.filter((path) => isTestFile(path) && !isLoneName(path, known)));
}

/** Whether only the name of a C file says that it is a test, and nothing beside it is what it would test: `jq_test.c` is a part of jq. */
function isLoneName(path: string, known: ReadonlySet<string>): boolean {
  const ending = extension(path);
  if (!/^(?:c|cc|cpp|cxx)$/u.test(ending) || /(?:^|\/)(?:tests?|specs?|__tests__)\//iu.test(path)) return false;
  return !known.has([...folders(path), `${subjectOf(path)}.${ending}`].join('/'));
}
