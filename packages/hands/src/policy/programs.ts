// Made from the files of programs/ by programs.test.ts: `npx vitest run packages/hands/src/policy/programs.test.ts -u`.
import type { Program } from './program.ts';
import { programs as archives } from './programs/archives.ts';
import { programs as bun } from './programs/bun.ts';
import { programs as cargo } from './programs/cargo.ts';
import { programs as compilers } from './programs/compilers.ts';
import { programs as curl } from './programs/curl.ts';
import { programs as dd } from './programs/dd.ts';
import { programs as docker } from './programs/docker.ts';
import { programs as dotnet } from './programs/dotnet.ts';
import { programs as fileChangers } from './programs/file-changers.ts';
import { programs as find } from './programs/find.ts';
import { programs as git } from './programs/git.ts';
import { programs as go } from './programs/go.ts';
import { programs as jq } from './programs/jq.ts';
import { programs as jvm } from './programs/jvm.ts';
import { programs as kubectl } from './programs/kubectl.ts';
import { programs as launchers } from './programs/launchers.ts';
import { programs as listings } from './programs/listings.ts';
import { programs as make } from './programs/make.ts';
import { programs as networkClients } from './programs/network-clients.ts';
import { programs as node } from './programs/node.ts';
import { programs as nodeTools } from './programs/node-tools.ts';
import { programs as npm } from './programs/npm.ts';
import { programs as otherLanguages } from './programs/other-languages.ts';
import { programs as php } from './programs/php.ts';
import { programs as pnpm } from './programs/pnpm.ts';
import { programs as python } from './programs/python.ts';
import { programs as ruby } from './programs/ruby.ts';
import { programs as searchPrograms } from './programs/search-programs.ts';
import { programs as sed } from './programs/sed.ts';
import { programs as shells } from './programs/shells.ts';
import { programs as systemPackages } from './programs/system-packages.ts';
import { programs as terraform } from './programs/terraform.ts';
import { programs as textReaders } from './programs/text-readers.ts';
import { programs as versionControl } from './programs/version-control.ts';
import { programs as wget } from './programs/wget.ts';
import { programs as wordsOnly } from './programs/words-only.ts';
import { programs as wrappers } from './programs/wrappers.ts';
import { programs as yarn } from './programs/yarn.ts';

/** What is known of programs, by file. */
export const PROGRAM_FILES: ReadonlyArray<readonly Program[]> = [
  archives,
  bun,
  cargo,
  compilers,
  curl,
  dd,
  docker,
  dotnet,
  fileChangers,
  find,
  git,
  go,
  jq,
  jvm,
  kubectl,
  launchers,
  listings,
  make,
  networkClients,
  node,
  nodeTools,
  npm,
  otherLanguages,
  php,
  pnpm,
  python,
  ruby,
  searchPrograms,
  sed,
  shells,
  systemPackages,
  terraform,
  textReaders,
  versionControl,
  wget,
  wordsOnly,
  wrappers,
  yarn,
];
