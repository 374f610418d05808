import type { Program } from '../program.ts';

const ALIASES: readonly string[] = [
  'run = container run',
  'exec = container exec',
  'create = container create',
  'start = container start',
  'stop = container stop',
  'restart = container restart',
  'kill = container kill',
  'cp = container cp',
  'commit = container commit',
  'attach = container attach',
  'pause = container pause',
  'rename = container rename',
  'update = container update',
  'export = container export',
  'push = image push',
  'pull = image pull',
  'load = image load',
  'save = image save',
  'import = image import',
  'tag = image tag',
  'history = image history',
  'rm = container rm = container remove',
  'rmi = image rm = image remove',
  'build = image build = buildx build = buildx b = builder build',
  'ps = container ls = container list = container ps',
  'images = image ls = image list',
];

/** Docker 28 and other container programs. */
export const programs: readonly Program[] = [
  {
    names: 'docker',
    onlyReads: ['--version'],
    aliases: ALIASES,
    naming: { words: 2, deeper: 'compose image container' },
    runsIn: { elsewhere: ['run', 'exec', 'compose', 'build'] },
  },
  {
    names: 'podman',
    aliases: ALIASES,
    naming: 2,
    runs: 'elsewhere',
  },
  {
    names: 'nerdctl',
    aliases: ALIASES,
    runs: 'elsewhere',
  },
  { names: 'lxc systemd-nspawn', runs: 'elsewhere' },
];
