// Progress of the first start. Runs before anything is installed.
import { arch, platform } from 'node:process';

/** A download in npm's log: `npm http fetch GET 200 https://…/name-1.0.0.tgz 40ms (cache miss)`. */
const DOWNLOAD = /^npm http fetch GET 200 \S+\.tgz /u;
/** Notes in npm's log, such as deprecations; not errors. */
const NOTE = /^npm (?:http|warn|notice|info) /iu;

/** Whether a package of the lock file is installed on a platform. */
function fits(names = [], one) {
  const all = [names].flat();
  const allowed = all.filter((name) => !name.startsWith('!'));
  return !all.includes(`!${one}`) && (allowed.length === 0 || allowed.includes(one));
}

/** Returns how many packages of a lock file are downloaded on this machine. */
export function packageCount(lock, machine = { platform, arch }) {
  return Object.values(lock.packages ?? {}).filter(
    ({ integrity, os, cpu }) => integrity !== undefined && fits(os, machine.platform) && fits(cpu, machine.arch),
  ).length;
}

/** Reports the steps of a start: `Downloading packages (step 1 of 3)`. A single step has no number. */
export function steps(names, say) {
  let begun = 0;
  return () => {
    const name = names[begun];
    begun += 1;
    say(`${name}${names.length > 1 ? ` (step ${begun} of ${names.length})` : ''} …\n`);
  };
}

/** Milliseconds between lines if the output is not a terminal. */
const LINE_MS = 5_000;

/**
 * Reads npm's log line by line: downloads become `Downloading 57 of 412 …`, notes are dropped, and all else is passed on.
 *
 * @param total number of expected packages
 * @param terminal whether a line can be overwritten
 */
export function downloads(total, { terminal, say, now = () => performance.now() }) {
  let count = 0;
  let rest = '';
  let told = now();
  let open = false;
  const tell = () => {
    count += 1;
    const text = `Downloading ${count} of ${Math.max(count, total)} …`;
    if (terminal) {
      say(`\r${text}`);
      open = true;
    } else if (now() - told >= LINE_MS) {
      say(`${text}\n`);
      told = now();
    }
  };
  const end = () => {
    if (open) say('\n');
    open = false;
  };
  const take = (line) => {
    if (DOWNLOAD.test(line)) tell();
    else if (line.trim() !== '' && !NOTE.test(line)) {
      end();
      say(`${line}\n`);
    }
  };
  return {
    write(chunk) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    },
    end() {
      if (rest !== '') take(rest);
      rest = '';
      end();
    },
  };
}
