// `npm start -- link`: puts a `synapse` command on the user's PATH; --undo removes it.
import { chmodSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from './prepare.mjs';

const program = join(root, 'packages', 'cli', 'bin', 'synapse.js');

const HELP = `Usage: npm start -- link [--undo]

Puts a \`synapse\` command into ~/.local/bin. It runs this checkout.

Options:
  --undo      removes it
  -h, --help  shows this help
`;

/** Returns the target of a link; undefined if it does not exist, null if it is something else. */
function target(link) {
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isSymbolicLink() ? readlinkSync(link) : null;
}

function undo(place, there, say) {
  if (there === program) unlinkSync(place);
  say(there === program ? `Removed ${place}.\n` : `Nothing to remove: ${place} does not exist.\n`);
  return 0;
}

/** Creates or removes the link, reports it, and returns the exit code. */
export function link(
  words,
  {
    folder = join(homedir(), '.local', 'bin'),
    path = process.env.PATH ?? '',
    say = (text) => process.stderr.write(text),
    tell = (text) => process.stdout.write(text),
  } = {},
) {
  const place = join(folder, 'synapse');
  if (words.some((word) => word === '--help' || word === '-h')) {
    tell(HELP);
    return 0;
  }
  const unknown = words.find((word) => word !== '--undo');
  if (unknown !== undefined) {
    say(`Unknown option: ${unknown}\nlink takes --undo and --help.\n`);
    return 2;
  }
  if (process.platform === 'win32') {
    say(`Links are not made on Windows. Add a synapse.cmd to a folder of your PATH:\n@node "${program}" %*\n`);
    return 1;
  }
  const there = target(place);
  if (there !== undefined && there !== program) {
    say(`Not changed: ${place} is not from this checkout.\nMove it away, and try again.\n`);
    return 1;
  }
  if (words.includes('--undo')) return undo(place, there, say);
  if (there === undefined) {
    mkdirSync(folder, { recursive: true });
    // A compiler or an unpacked archive may have dropped its execute permission.
    chmodSync(program, 0o755);
    symlinkSync(program, place);
  }
  say(`${place} runs this checkout. To take it back: npm start -- link --undo\n`);
  if (!path.split(delimiter).includes(folder)) say(`${folder} is not on your PATH. Add it in your shell's profile: export PATH="${folder}:$PATH"\n`);
  return 0;
}
