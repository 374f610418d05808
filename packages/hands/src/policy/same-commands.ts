import { programFamily } from './program-name.ts';

type Words = ReadonlyArray<string | undefined>;

/** The subcommands of a program that go by several names. */
interface Subcommands {
  /** In each row, names of one and the same. */
  readonly same: ReadonlyArray<readonly string[]>;
  /** Further ones that a beginning may stand for; undefined where the program wants names in full. */
  readonly beginningsOf?: readonly string[];
}

const CONTAINERS = ['run', 'exec', 'create', 'start', 'stop', 'restart', 'kill', 'cp', 'commit', 'attach', 'pause', 'rename', 'update', 'export'];
const IMAGES = ['push', 'pull', 'load', 'save', 'import', 'tag', 'history'];
const DOCKER: Subcommands = {
  same: [
    ...CONTAINERS.map((name) => [name, `container ${name}`]),
    ...IMAGES.map((name) => [name, `image ${name}`]),
    ['rm', 'container rm', 'container remove'],
    ['rmi', 'image rm', 'image remove'],
    ['build', 'image build', 'buildx build', 'buildx b', 'builder build'],
    ['ps', 'container ls', 'container list', 'container ps'],
    ['images', 'image ls', 'image list'],
  ],
};

/** As the programs themselves have them: npm 11, pnpm 10, Bun 1, Cargo 1.8x, Docker 28, Composer 2, RubyGems 3, Mercurial 6, Subversion 1.14, Helm 3. */
const PROGRAMS: Readonly<Record<string, Subcommands>> = {
  npm: {
    same: [
      ['install', 'i', 'in', 'ins', 'inst', 'insta', 'instal', 'isnt', 'isnta', 'isntal', 'isntall', 'add'],
      ['uninstall', 'unlink', 'remove', 'rm', 'r', 'un'],
      ['update', 'up', 'u', 'upgrade', 'udpate'],
      ['ci', 'clean-install', 'ic', 'install-clean', 'isntall-clean'],
      ['install-test', 'it'],
      ['install-ci-test', 'cit', 'clean-install-test', 'sit'],
      ['run', 'run-script', 'rum', 'urn'],
      ['exec', 'x'],
      ['init', 'create', 'innit'],
      ['test', 't', 'tst'],
      ['config', 'c'],
      ['adduser', 'add-user', 'login'],
      ['dist-tag', 'dist-tags'],
      ['link', 'ln'],
      ['rebuild', 'rb'],
      ['dedupe', 'ddp'],
      ['owner', 'author'],
      ['org', 'ogr'],
      ['ls', 'list'],
      ['view', 'v', 'info', 'show'],
      ['search', 's', 'se', 'find'],
    ],
    beginningsOf:
      'access audit cache deprecate edit explore logout pack pkg profile prune publish restart set shrinkwrap stage star start stop team token trust undeprecate unpublish unstar version'.split(
        ' ',
      ),
  },
  pnpm: {
    same: [
      ['install', 'i'],
      ['remove', 'rm', 'uninstall', 'un', 'uni'],
      ['update', 'up', 'upgrade'],
      ['run', 'run-script'],
      ['test', 't', 'tst'],
      ['link', 'ln'],
      ['rebuild', 'rb'],
      ['install-test', 'it'],
    ],
  },
  bun: {
    same: [
      ['install', 'i'],
      ['add', 'a'],
      ['remove', 'rm'],
    ],
  },
  cargo: {
    same: [
      ['build', 'b'],
      ['check', 'c'],
      ['doc', 'd'],
      ['run', 'r'],
      ['test', 't'],
      ['remove', 'rm'],
    ],
  },
  docker: DOCKER,
  podman: DOCKER,
  nerdctl: DOCKER,
  git: { same: [['add', 'stage']] },
  helm: {
    same: [
      ['uninstall', 'del', 'delete', 'un'],
      ['pull', 'fetch'],
    ],
  },
  brew: {
    same: [
      ['uninstall', 'remove', 'rm'],
      ['install', 'instal'],
    ],
  },
  composer: {
    same: [
      ['install', 'i'],
      ['update', 'u', 'upgrade'],
      ['require', 'r'],
      ['remove', 'rm', 'uninstall'],
      ['run-script', 'run'],
    ],
    beginningsOf: ['archive', 'bump', 'config', 'create-project', 'exec', 'global', 'init', 'reinstall', 'self-update'],
  },
  gem: {
    same: [],
    beginningsOf: ['build', 'cert', 'cleanup', 'exec', 'fetch', 'install', 'owner', 'pristine', 'push', 'signin', 'uninstall', 'update', 'yank'],
  },
  hg: {
    same: [
      ['commit', 'ci'],
      ['update', 'up', 'co', 'checkout'],
      ['remove', 'rm'],
      ['rename', 'mv', 'move'],
      ['import', 'patch'],
    ],
    beginningsOf: [
      'add',
      'addremove',
      'backout',
      'bookmarks',
      'branch',
      'clone',
      'copy',
      'forget',
      'graft',
      'merge',
      'pull',
      'push',
      'recover',
      'revert',
      'rollback',
      'serve',
      'tag',
    ],
  },
  svn: {
    same: [
      ['commit', 'ci'],
      ['checkout', 'co'],
      ['delete', 'del', 'remove', 'rm'],
      ['move', 'mv', 'rename', 'ren'],
      ['switch', 'sw'],
      ['update', 'up'],
      ['copy', 'cp'],
      ['propset', 'pset', 'ps'],
    ],
  },
};

interface Names {
  /** Every name with all that mean the same, itself among them. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  readonly abbreviates: boolean;
}

function namesOf({ same, beginningsOf }: Subcommands): Names {
  const rows = new Map<string, readonly string[]>();
  for (const row of [...same, ...(beginningsOf ?? []).map((name) => [name])]) {
    for (const name of row) rows.set(name, row);
  }
  return { rows, abbreviates: beginningsOf !== undefined };
}

const NAMES: ReadonlyMap<string, Names> = new Map(Object.entries(PROGRAMS).map(([program, subcommands]) => [program, namesOf(subcommands)]));

/** What a word, or two, may mean to a program that takes beginnings for names. */
function meant({ rows, abbreviates }: Names, word: string): readonly string[] {
  const exact = rows.get(word);
  if (exact !== undefined || !abbreviates || word === '') return exact ?? [];
  // npm takes `installTest` for `install-test`. What is ambiguous it refuses; here it is each of them.
  const plain = word.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  return [...rows].flatMap(([name, row]) => (name.startsWith(plain) ? row : []));
}

/**
 * A command under the other names of its subcommand: `npm i`, `npm add` and `npm inst` are `npm install`, and `docker
 * container run` is `docker run`. For rules that deny or ask, which are about what is done; it may be none of these.
 */
export function sameCommands(words: Words): Words[] {
  const names = NAMES.get(programFamily(words[0] ?? ''));
  const [program, first, second, ...rest] = words;
  if (names === undefined || first === undefined) return [];
  const one = meant(names, first).map((name) => [program, ...name.split(' '), ...words.slice(2)]);
  const two = second === undefined ? [] : (names.rows.get(`${first} ${second}`) ?? []).map((name) => [program, ...name.split(' '), ...rest]);
  return [...one, ...two];
}
