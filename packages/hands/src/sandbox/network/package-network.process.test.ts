import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { write } from '../../testing/git-repository.ts';
import { SandboxBench } from '../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';
import { domainRule } from './host-rules.ts';
import { openedHosts } from './package-network.ts';
import { REGISTRIES } from './package-registries.ts';

function folders(files: Readonly<Record<string, string>>): { root: string; home: string } {
  const base = mkdtempSync(join(tmpdir(), 'synapse-packages-'));
  for (const name of ['root', 'home']) mkdirSync(join(base, name));
  write(base, files);
  return { root: join(base, 'root'), home: join(base, 'home') };
}

function opened(files: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) {
  const { root, home } = folders(files);
  const network = openedHosts('packages', { root, variables: { HOME: home, ...variables } });
  if (typeof network === 'string') throw new Error('Expected hosts.');
  return network;
}

describe('the registries that are opened', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, readonly string[]]>([
    ['npm', { 'root/package.json': '{}' }, ['registry.npmjs.org', 'registry.yarnpkg.com']],
    ['one further down', { 'root/apps/api/go.mod': '' }, ['proxy.golang.org', 'sum.golang.org']],
    ['by the end of a name', { 'root/x.csproj': '' }, ['api.nuget.org']],
    [
      'several',
      { 'root/Cargo.toml': '', 'root/pyproject.toml': '' },
      ['pypi.org', 'files.pythonhosted.org', 'index.crates.io', 'static.crates.io', 'crates.io'],
    ],
    ['none', { 'root/README.md': '' }, []],
    ['not those of what is installed', { 'root/node_modules/x/pom.xml': '' }, []],
    ['not one that the workspace names', { 'root/.npmrc': 'registry=https://evil.example.com/' }, []],
    [
      'one of the person, by its host',
      { 'home/.npmrc': 'registry=https://packages.example.com:443/npm/\n//packages.example.com/:_authToken=SECRET' },
      ['packages.example.com'],
    ],
    ['one of a scope', { 'home/.npmrc': '@scope:registry=https://scoped.example.com/' }, ['scoped.example.com']],
    ['one of pip', { 'home/.config/pip/pip.conf': '[global]\nindex-url = https://user:SECRET@pip.example.com/simple\n' }, ['pip.example.com']],
    ['one of cargo', { 'home/.cargo/config.toml': '[registries.x]\nindex = "sparse+https://crates.example.com/"' }, ['crates.example.com']],
    ['one on another port', { 'home/.npmrc': 'registry=http://nexus.example.com:8081/npm/' }, ['nexus.example.com:8081']],
    ['no address of a machine', { 'home/.npmrc': 'registry=http://127.0.0.1:4873/' }, []],
  ])('%s', (_, files, expected) => {
    const { domains, environment } = opened(files);
    expect(domains).toEqual(expected);
    expect(JSON.stringify(environment)).not.toContain('SECRET');
  });

  it('may be in a private network where the person named them, and not where the list or the workspace does', () => {
    const files = {
      'root/package.json': '{}',
      'root/.npmrc': 'registry=https://evil.example.com/',
      'home/.npmrc': 'registry=https://own.example.com/',
    };
    expect(opened(files)).toMatchObject({
      domains: ['registry.npmjs.org', 'registry.yarnpkg.com', 'own.example.com'],
      named: ['own.example.com'],
    });
    expect(opened({ 'root/package.json': '{}' }, { npm_config_registry: 'https://shell.example.com/' }).named).toEqual(['shell.example.com']);
    // npm gives the settings of a project to the scripts that it starts.
    const script = opened({ 'root/package.json': '{}' }, { npm_config_registry: 'https://evil.example.com/', npm_lifecycle_event: 'start' });
    expect([script.named, script.domains.includes('evil.example.com')]).toEqual([[], false]);
  });

  it('are not those in a home folder that is the workspace', () => {
    const { root } = folders({ 'root/.npmrc': 'registry=https://evil.example.com/' });
    expect(openedHosts('packages', { root, variables: { HOME: root } })).toMatchObject({ domains: [], named: [] });
  });

  it('reach package managers without credentials', () => {
    const { environment } = opened(
      { 'home/.config/pip/pip.conf': 'index-url = https://user:SECRET@pip.example.com/simple' },
      { UV_DEFAULT_INDEX: 'https://token:SECRET@uv.example.com/x', GOPROXY: 'https://go.example.com,direct' },
    );
    expect(environment).toEqual({
      PIP_INDEX_URL: 'https://pip.example.com/simple',
      UV_DEFAULT_INDEX: 'https://uv.example.com/x',
      GOPROXY: 'https://go.example.com/',
    });
  });

  it('are beside hosts that are named, and nothing where they are not asked for', () => {
    const { root } = folders({ 'root/package.json': '{}' });
    const facts = { root, variables: { HOME: '/nonexistent' } };
    expect(openedHosts({ domains: ['a.example.com'], packages: true }, facts)).toMatchObject({
      domains: ['a.example.com', 'registry.npmjs.org', 'registry.yarnpkg.com'],
    });
    expect(openedHosts({ domains: ['a.example.com'] }, facts)).toEqual({ domains: ['a.example.com'], named: ['a.example.com'] });
    expect(openedHosts('off', facts)).toBe('off');
  });

  it('are all names of hosts', () => {
    for (const host of REGISTRIES.flatMap(({ hosts }) => hosts)) expect(domainRule(host)).toBe(host);
  });
});

describe.skipIf((await findBubblewrap()) === undefined || spawnSync('npm', ['--version']).status !== 0)('npm with the network of packages', () => {
  // The bridge is a source here, which the sandbox shows as it is. test/e2e/node-versions.heavy.process.test.ts runs the built one.
  it.runIf(process.features.typescript)('installs from the registry, and reaches nothing else', { timeout: 60_000 }, async () => {
    const { root } = folders({ 'root/p/package.json': '{"name":"p","version":"1.0.0"}' });
    execFileSync('npm', ['pack', '--silent', './p'], { cwd: root });
    const tarball = readFileSync(join(root, 'p-1.0.0.tgz'));
    const asked: string[] = [];
    await using server = createServer((request, response) => {
      asked.push(`${request.headers.host}${request.url}`);
      const dist = { tarball: 'http://packages.example.com/p-1.0.0.tgz' };
      const found = { name: 'p', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name: 'p', version: '1.0.0', dist } } };
      response.end(request.url?.endsWith('.tgz') === true ? tarball : JSON.stringify(found));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => void server.once('listening', resolve));
    const port = Number(Object(server.address()).port);
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user', {
      ownHome: true,
      files: { 'package.json': '{}' },
      homeFiles: { '.npmrc': 'registry=http://packages.example.com/\n//packages.example.com/:_authToken=SECRET\n' },
      policy: { network: 'packages' },
      network: { resolve: async () => ['93.184.216.34'], dial: () => connect(port, '127.0.0.1') },
    });
    const result = await bench.inside('npm install --no-audit --no-fund p && ls node_modules; cat ~/.npmrc; env | grep SECRET', {
      signal: AbortSignal.timeout(55_000),
    });
    expect(result.stdout, result.stderr).toMatch(/\np\n$/u);
    expect(asked).toContain('packages.example.com/p-1.0.0.tgz');
    const refused = await bench.inside('curl -sS -m 5 http://evil.example.com/x');
    expect(refused.stdout).toContain('does not allow this host');
    expect(refused.hints).toEqual(['not among the open hosts, refused: evil.example.com; a person adds them with --network evil.example.com']);
    // Also where the program says no name, and the exit code is that of another one.
    const quiet = await bench.inside('curl -s -m 5 https://evil.example.com/x || true; curl -s -m 5 https://10.0.0.1/ | head -1');
    expect(quiet.hints).toEqual([expect.stringMatching(/refused: evil\.example\.com;.* · refused: 10\.0\.0\.1; only hosts by name/u) as string]);
    expect((await bench.inside('exit 3')).hints).toEqual([]);
    expect(asked.join()).not.toContain('evil');
  });
});
