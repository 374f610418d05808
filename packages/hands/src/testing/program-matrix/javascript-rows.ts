import { installed, type ProgramRow } from './row.ts';

const TSC = installed('tsc');
const VITEST = installed('vitest');
const PRETTIER = installed('prettier');
const YARN = installed('yarn');
const PNPM = installed('pnpm');

const LIBRARY = {
  'lib/package.json': '{"name":"lib","version":"1.0.0","main":"run.js","bin":{"lib":"run.js"}}',
  'lib/run.js': '#!/usr/bin/env node\nmodule.exports = 1;\n',
};
const APP = { ...LIBRARY, 'package.json': '{"name":"app","version":"1.0.0","dependencies":{"lib":"file:./lib"}}' };
/** With a packed library as a file, so that it has an integrity hash. */
const PACKED = {
  ...LIBRARY,
  'package.json': '{"name":"app","version":"1.0.0","scripts":{"build":"node -p 1 > built"},"dependencies":{"lib":"file:lib-1.0.0.tgz"}}',
};
/** A package with a settings file, which is hidden from commands by its name. */
const SHIPS_ENV = { ...PACKED, 'lib/.env': 'KEY=1\n', 'lib/test/server.key': 'key\n', '.gitignore': 'node_modules\n*.tgz\nlib\n' };
const BUMP = 'sed -i s/1.0.0/2.0.0/ lib/package.json && sed -i s/lib-1/lib-2/ package.json';
const QUIET = '--offline --no-audit --no-fund --loglevel=error';

const PROJECT = {
  'tsconfig.json': '{"files":[],"references":[{"path":"lib"},{"path":"app"}]}',
  'lib/tsconfig.json': '{"compilerOptions":{"composite":true,"outDir":"../out/lib","rootDir":".","types":[]}}',
  'lib/lib.ts': 'export const one = 1;\n',
  'app/tsconfig.json': '{"compilerOptions":{"composite":true,"outDir":"../out/app","rootDir":".","types":[]},"references":[{"path":"../lib"}]}',
  'app/app.ts': 'import { one } from "../lib/lib.js";\nexport const two = one + 1;\n',
};
/** Prints whether the build is up to date by its timestamps. */
const UP_TO_DATE = `${TSC} -b --dry | grep -o 'up to date'`;

export const JAVASCRIPT_ROWS: readonly ProgramRow[] = [
  {
    name: 'npm install of a folder',
    needs: ['npm'],
    files: { ...LIBRARY, 'package.json': '{"name":"app","version":"1.0.0"}' },
    command: `npm install ${QUIET} ./lib`,
  },
  {
    name: 'npm ci',
    needs: ['npm'],
    files: PACKED,
    before: `npm pack -s ./lib > /dev/null && npm install ${QUIET} && mkdir node_modules/stale && touch node_modules/stale/x`,
    command: `npm ci ${QUIET} && npm run -s build`,
  },
  ...[
    { name: 'rm -rf node_modules', command: 'rm -rf node_modules' },
    { name: 'npm ci', command: `npm ci ${QUIET}` },
    { name: 'npm install of another version', before: `${BUMP} && npm pack -s ./lib > /dev/null`, command: `npm install ${QUIET}` },
    { name: 'git clean', command: 'git clean -fdxq' },
    { name: 'mv', command: 'mv node_modules modules && cp -r modules/lib/package.json .' },
  ].map(({ name, before = 'true', command }): ProgramRow => ({
    name: `${name}, with a hidden file in a package`,
    needs: ['npm', 'git'],
    files: SHIPS_ENV,
    before: `npm pack -s ./lib > /dev/null && npm install ${QUIET} && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm 1 && ${before}`,
    command,
    // Contains inodes of files.
    random: /^\.git\/index$/u,
    tells: 'git status --short',
    hidden: true,
  })),
  {
    name: 'pnpm install',
    needs: [PNPM],
    files: PACKED,
    before: 'npm pack -s ./lib > /dev/null',
    command: `${PNPM} install --offline --silent --store-dir=store --package-import-method=hardlink`,
    // Files of the store, and the time of the installation.
    random: /^store\/|\.modules\.yaml$|\.pnpm-workspace-state/u,
    fleeting: /^store\/v\d+\/projects/u,
    links: true,
    tells: 'node -p \'require("lib")\'; node_modules/.bin/lib; echo $?',
  },
  {
    name: 'pnpm install of a folder',
    needs: [PNPM],
    files: APP,
    command: `${PNPM} install --offline --silent --store-dir=store`,
    random: /^store\/|\.modules\.yaml$|\.pnpm-workspace-state/u,
    fleeting: /^store\/v\d+\/projects/u,
    links: true,
    tells: 'node -p \'require("lib")\'',
  },
  {
    name: 'yarn install, node_modules',
    needs: [YARN],
    files: { ...PACKED, '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\nenableGlobalCache: false\n', 'yarn.lock': '' },
    before: 'npm pack -s ./lib > /dev/null',
    command: `YARN_ENABLE_IMMUTABLE_INSTALLS=false ${YARN} install > /dev/null`,
    random: /install-state\.gz$|^\.yarn\/cache\//u,
    tells: `node -p 'require("lib")'; ${YARN} install --immutable | grep -c YN0028`,
    tellingWrites: true,
  },
  {
    name: 'yarn install, plug and play',
    needs: [YARN],
    files: { ...PACKED, '.yarnrc.yml': 'enableTelemetry: false\nenableGlobalCache: false\n', 'yarn.lock': '' },
    before: 'npm pack -s ./lib > /dev/null',
    command: `YARN_ENABLE_IMMUTABLE_INSTALLS=false ${YARN} install > /dev/null`,
    random: /install-state\.gz$|^\.yarn\/cache\//u,
    tells: `${YARN} node -p 'require("lib")'`,
    tellingWrites: true,
    needsProtected: 'always',
  },
  {
    name: 'bun install and bun test',
    needs: ['bun'],
    files: { ...APP, 'a.test.js': 'import { expect, test } from "bun:test"; test("a", () => expect(1).toMatchSnapshot());' },
    command: 'BUN_INSTALL_CACHE_DIR=$PWD/cache bun install --silent && bun test 2> /dev/null > /dev/null',
    fleeting: /^cache\/\.tmp$/u,
    links: true,
    tells: 'bun -p \'require("lib")\'',
  },
  { name: 'tsc -b', needs: [TSC], files: PROJECT, command: `${TSC} -b`, tells: UP_TO_DATE },
  {
    name: 'tsc -b once more',
    needs: [TSC],
    files: PROJECT,
    before: `${TSC} -b`,
    command: `echo 'export const three = 3;' >> lib/lib.ts && ${TSC} -b`,
    tells: UP_TO_DATE,
  },
  {
    name: 'vitest',
    needs: [VITEST],
    files: {
      'package.json': '{"type":"module"}',
      'vitest.config.mjs': 'export default { cacheDir: "cache", test: { globals: true } };\n',
      'a.test.js': 'it("a", () => expect({ a: 1 }).toMatchSnapshot());\n',
    },
    command: `${VITEST} run --silent > /dev/null 2>&1`,
    random: /results\.json$/u,
  },
  {
    name: 'jest',
    needs: ['jest'],
    files: { 'package.json': '{"jest":{"cacheDirectory":"<rootDir>/cache"}}', 'a.test.js': 'it("a", () => expect({ a: 1 }).toMatchSnapshot());\n' },
    command: 'jest --ci=false > /dev/null 2>&1',
    random: /^cache\//u,
  },
  {
    name: 'eslint --fix --cache',
    needs: ['eslint'],
    files: {
      'package.json': '{"type":"module"}',
      'eslint.config.js': 'export default [{ rules: { "no-var": "error" } }];\n',
      'a.js': 'var a = 1;\nexport { a };\n',
      'b.js': 'export const b = 1;\n',
    },
    command: 'eslint --fix --cache .',
    // Contains times of files.
    random: /^\.eslintcache$/u,
    tells: 'eslint --cache . && echo clean',
    tellingWrites: true,
  },
  {
    name: 'node --test',
    needs: ['node'],
    files: { 'a.test.mjs': 'import test from "node:test"; import { writeFileSync } from "node:fs"; test("a", () => writeFileSync("ran", "1"));' },
    command: 'node --test > /dev/null',
  },
  { name: 'prettier --write', needs: [PRETTIER], files: { 'a.js': 'let a   =  1', 'b.js': 'let b = 1;\n' }, command: `${PRETTIER} --write .` },
];
