import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wrongClaims } from '../fixtures/check-claims.ts';
import { expectWellFormed, newProject, newRepository, run, type Project } from '../fixtures/test-project.ts';
import { removeProject } from '../fixtures/dormant-repositories.ts';

/** A class of mistakes that reports made about real repositories. */
interface Row {
  readonly name: string;
  readonly make: (project: Project) => Promise<void>;
  readonly has?: readonly RegExp[];
  readonly not?: readonly RegExp[];
}

async function save({ write, commit }: Project, message: string, day: number, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await write(path, text);
  await commit(message, `2026-0${1 + Math.floor(day / 28)}-${String(1 + (day % 28)).padStart(2, '0')}T10:00:00Z`);
}

const DOCSTRING = `"""Tests of sessions.

Uses RequestContext(app) to open one.
"""
# RequestContext(app) is gone
from web.ctx import AppContext

def test_open():
    AppContext()
`;

const ROWS: readonly Row[] = [
  {
    name: 'a name in docstrings and comments is no use of it',
    async make(project) {
      await save(project, 'one', 1, { 'web/ctx.py': 'class RequestContext:\n    pass\n', 'tests/test_session.py': DOCSTRING });
      await save(project, 'two', 2, { 'web/ctx.py': 'class AppContext:\n    pass\n' });
    },
    not: [/Finish the refactoring/u],
  },
  {
    name: 'a deprecated alias is kept on purpose',
    async make(project) {
      const use = 'from web.ctx import RequestContext\n\nRequestContext()\n';
      await save(project, 'one', 1, { 'web/ctx.py': 'class RequestContext:\n    pass\n', 'web/use.py': use });
      const alias =
        'def __getattr__(name):\n    if name == "RequestContext":\n        warnings.warn("Use AppContext.", DeprecationWarning)\n        return AppContext\n';
      await save(project, 'two', 2, { 'web/ctx.py': `class AppContext:\n    pass\n\n\n${alias}` });
    },
    not: [/Finish the refactoring/u],
  },
  {
    name: 'a real use is told (control)',
    async make(project) {
      await save(project, 'one', 1, { 'web/ctx.py': 'class RequestContext:\n    pass\n', 'web/use.py': 'from web.ctx import RequestContext\n' });
      await save(project, 'two', 2, { 'web/ctx.py': 'class AppContext:\n    pass\n' });
    },
    has: [/Finish the refactoring of `RequestContext`.*`web\/use\.py:1`/u],
  },
  {
    name: 'a module of the standard library is not the file of that name beside it',
    async make(project) {
      await save(project, 'one', 1, {
        'src/cli/__init__.py': '',
        'src/cli/types.py': 'X = 1\n',
        'src/cli/core.py': 'from types import TracebackType\n',
      });
    },
    not: [/Mend an import/u],
  },
  {
    name: 'a version whose first line says unreleased is not released',
    async make(project) {
      await save(project, 'one', 1, {
        'CHANGES.rst':
          'Version 3.2.0\n-------------\n\nUnreleased\n\n-   Drop Python 3.9.\n-   Faster.\n\nVersion 3.1.0\n-------------\n\nReleased 2026-01-01\n\n-   First.\n',
      });
      project.git('tag', '3.1.0');
    },
    has: [/Release what `CHANGES\.rst` lists as unreleased: 2 changes, the first `Drop Python 3\.9\.`/u, /`Version 3\.2\.0`, not released yet/u],
  },
  {
    name: 'a version with a tag is released, whatever the log says',
    async make(project) {
      await save(project, 'one', 1, { 'CHANGES.md': '## Version 8.5.0\n\nUnreleased\n\n- Faster.\n' });
      project.git('tag', '8.5.0');
    },
    has: [/marked as unreleased although the tag `8\.5\.0` exists/u],
    not: [/Release what/u],
  },
  {
    name: 'an old to-do file is read, the important first',
    async make(project) {
      await save(project, 'one', 1, {
        TODO: 'MAYBE\n===\n\n* Colors\n\nIMPORTANT\n===\n\n* Testing and stability\n\nDONE\n===\n\n* Saving\n',
        'kilo.c': '',
      });
      await save(project, 'two', 140, { 'kilo.c': 'int x;\n' });
    },
    has: [
      /1\. Planned in `TODO` \(last changed 2026-01-02, so check that it still holds\): `Testing and stability`/u,
      /2\. .*`Colors`/u,
      /`TODO` has 2 open items\./u,
    ],
    not: [/Saving|Nothing was seen/u],
  },
  {
    name: 'a list without bullets is read by lines',
    async make(project) {
      await save(project, 'one', 1, { 'docs/TODO.txt': '(A) Write the parser +core\nx 2026-01-01 Read files\nShip it\n' });
    },
    has: [/Planned: `Write the parser \+core`/u, /Planned: `Ship it`/u],
    not: [/Read files/u],
  },
  {
    name: 'the largest share comes first, and the numbers since a release are exact',
    async make(project) {
      await save(project, 'one', 1, { 'README.md': 'x\n' });
      project.git('tag', 'v1.0.0');
      for (let index = 0; index < 55; index += 1)
        await save(project, `change ${index}`, 2, { [`${index % 5 < 3 ? 'docs' : 'tests'}/${index % 7}.rst`]: `${index}\n` });
    },
    has: [
      /`docs\/` has the largest share of the recent work: 18 of the last 30 commits touched it \(60%\)/u,
      /Also active, counted the same way: `tests\/` \(40%\)/u,
      /`v1\.0\.0`, 55 commits ago\./u,
    ],
  },
  {
    name: 'notes are one step, and strings are no notes',
    async make(project) {
      await save(project, 'one', 1, {
        'a.c': '// TODO: one\n// TODO: two\n/*\n * FIXME: three\n */\n',
        'b.lua': 'x = "XXX"\n',
        'b.py': 'x = "# TODO: no"\n',
      });
    },
    has: [/Deal with 3 recent notes: `TODO: one` in `a\.c`, `TODO: two` in `a\.c`, `FIXME: three` in `a\.c`\./u],
    not: [/TODO: no|in `b\.lua`|Look through/u],
  },
  {
    name: 'a committed .npmrc does not lower the confidence, and a gem for developers is no dependency',
    async make(project) {
      for (let index = 0; index < 6; index += 1) await save(project, `change ${index}`, index, { '.npmrc': `package-lock=false\n#${index}\n` });
      await save(project, 'gem', 7, {
        'rack.gemspec': "Gem::Specification.new do |s|\n  s.name = 'rack'\nend\n",
        Gemfile: "gemspec\n\ngroup :doc do\n  if RUBY_ENGINE == 'jruby'\n    gem 'rdoc', '< 8'\n  else\n    gem 'rdoc'\n  end\nend\n",
      });
    },
    has: [/^Confidence: high$/mu],
    not: [/depends on `rdoc`/u],
  },
  {
    name: 'a project is as old as the newest commit of all its branches',
    async make(project) {
      await save(project, 'one', 1, { 'a.js': 'one\n' });
      project.git('switch', '--quiet', '--create', 'tax');
      await save(project, 'two', 5, { 'b.js': 'two\n' });
      project.git('switch', '--quiet', 'main');
    },
    has: [/Dormant for .*: last commit 2026-01-06, on branch `tax`; 2026-01-02 on what is checked out\. Authors of the only commit/u],
  },
  {
    name: 'a project with a branch of today is not dormant',
    async make(project) {
      await save(project, 'one', 1, { 'a.js': 'one\n' });
      project.git('switch', '--quiet', '--create', 'tax');
      await project.write('b.js', 'two\n');
      await project.commit('two', new Date().toISOString());
      project.git('switch', '--quiet', 'main');
    },
    has: [/Last commit less than 2 hours ago, on branch `tax`; \d+ \w+ ago on what is checked out\./u],
    not: [/Dormant/u],
  },
  {
    name: 'a project is not dormant while its main branch goes on elsewhere',
    async make(project) {
      await save(project, 'one', 1, { 'a.js': 'one\n' });
      project.git('branch', 'tax');
      await project.write('b.js', 'two\n');
      await project.commit('two', new Date().toISOString());
      project.git('switch', '--quiet', 'tax');
    },
    has: [/Last commit less than 2 hours ago, on branch `main`; \d+ \w+ ago on what is checked out\./u],
    not: [/Dormant/u],
  },
  {
    name: 'a project whose uncommitted file was changed today is not dormant',
    async make(project) {
      const names = Array.from({ length: 20 }, (_, index) => `${index}.js`);
      await save(project, 'one', 1, Object.fromEntries(names.map((name) => [name, 'one\n'])));
      const old = new Date('2026-01-02T10:00:00Z');
      for (const name of names) await utimes(join(project.folder, name), old, old);
      project.git('status');
      await project.write('a.js', 'two\n');
    },
    has: [/Last commit \d+ \w+ ago, and an uncommitted file was modified less than 2 hours ago\. Authors/u],
    not: [/Dormant/u],
  },
  {
    name: 'a rebase in progress names its branch, which no longer is what is checked out',
    async make(project) {
      await save(project, 'one', 1, { 'a.js': 'one\n' });
      project.git('switch', '--quiet', '--create', 'tax');
      await save(project, 'two', 2, { 'a.js': 'two\n' });
      project.git('switch', '--quiet', 'main');
      await save(project, 'three', 3, { 'a.js': 'three\n' });
      expect(() => project.git('rebase', 'main', 'tax')).toThrow();
    },
    has: [/in the middle of a `rebase` of branch `tax`\./u, /1\. Finish or abort the `rebase` of branch `tax` in progress: 1 file in conflict\./u],
  },
  {
    name: 'next steps for readers are no plans',
    async make(project) {
      await save(project, 'one', 1, { 'README.md': '# X\n\nA library.\n\n## Next steps\n\n- **[Guide](docs/a.md)** - all of it\n  - examples\n' });
    },
    not: [/Planned/u],
  },
];

it.each(ROWS)('$name', async ({ make, has = [], not = [] }) => {
  const project = await newRepository();
  await make(project);
  const resurrection = await run(project.folder);
  await expectWellFormed(resurrection);
  expect(wrongClaims(project.folder, resurrection)).toEqual([]);
  for (const pattern of has) expect(resurrection.report).toMatch(pattern);
  for (const pattern of not) expect(resurrection.report).not.toMatch(pattern);
  await removeProject(project);
});

it('a folder of repositories is not put under version control as one', async () => {
  const project = await newProject();
  for (const name of ['one', 'two', 'three/deep']) {
    await project.write(`${name}/README.md`, '# One\n');
    project.git('init', '--quiet', name);
  }
  const resurrection = await run(project.folder);
  await expectWellFormed(resurrection);
  expect(resurrection.report).toMatch(/2 folders in it are git repositories: `one\/`, `two\/`\./u);
  expect(resurrection.report).toMatch(/1\. Look at one of the repositories in it, such as `one\/`: a report reads the history of one repository\./u);
  expect(resurrection.report).not.toMatch(/git init/u);
  await removeProject(project);
});
