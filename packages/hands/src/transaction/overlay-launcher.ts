import { SYSTEM_PATH, systemProgram } from '../sandbox/find-bubblewrap.ts';

/** Wraps a command line, and sets variables that it removes again before the command runs. */
export interface Launcher {
  readonly wrap: (area: string, argv: readonly string[]) => [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Relative names, because mount options cannot escape a comma or a colon. `volatile`: changes that are not applied need not
 * survive a crash of the machine, so the many syncs of package managers and databases cost nothing.
 */
const OPTIONS = 'upperdir=upper,workdir=work,userxattr,volatile';
const REPOSITORY_OPTIONS = 'lowerdir=lower-git,upperdir=upper-git,workdir=work-git,userxattr,volatile';

/** Keeps the working directory that the runner's handle led to. A failed mount leaves a file that commands cannot reach. */
const SHELL_PROGRAM = `(
  cd "$1" && PATH=${SYSTEM_PATH} && { L=lower; test ! -d outputs/. || L=outputs:$L; test ! -d hidden || L=hidden:$L; } &&
    mount -t overlay overlay -o lowerdir=$L,${OPTIONS} merged &&
    { test ! -d upper-git || mount -t overlay overlay -o ${REPOSITORY_OPTIONS} merged-git; }
) || { : > "$1/failed"; exit 1; }; shift; exec "$@"`;

/** unshare and mount by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [unshare: number, mount: number]>> = { x64: [272, 165], arm64: [97, 40] };

/** The same in one program instead of four: creates user and mount namespaces, makes mounts private, and mounts the overlay. */
const PERL_PROGRAM = String.raw`
my ($unshare, $mount, $area) = splice @ARGV, 0, 3; my ($uid, $gid) = ($<, $( + 0);
sub put { my $file; open($file, ">", "/proc/self/$_[0]") && defined syswrite($file, $_[1]) && close $file }
sub mount { my ($from, $to, $kind, $flags, $options) = @_; syscall($mount, $from, $to, $kind, $flags, $options) == 0 }
sub prepare {
  opendir(my $here, ".") && chdir $area or return;
  syscall($unshare + 0, 0x10020000) == 0 && put("setgroups", "deny") && put("uid_map", "0 $uid 1") && put("gid_map", "0 $gid 1") or return;
  my $lower = join ":", (-d "hidden" ? "hidden" : ()), (-d "outputs/." ? "outputs" : ()), "lower";
  mount("none", "/", "none", 0x44000, "") && mount("overlay", "merged", "overlay", 0, "lowerdir=$lower,${OPTIONS}") or return;
  (!-d "upper-git" || mount("overlay", "merged-git", "overlay", 0, "${REPOSITORY_OPTIONS}")) && chdir $here;
}
$mount += 0; delete $ENV{PERL_BADLANG};
if (prepare()) { exec { $ARGV[0] } @ARGV }
open(my $failed, ">", "$area/failed"); exit 1;`;

function withPerl(): Launcher | undefined {
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (perl === undefined || calls === undefined) return undefined;
  return {
    wrap: (area, argv) => [perl, '-e', PERL_PROGRAM, ...calls.map(String), area, ...argv],
    // Without it, perl warns about a locale that is not installed.
    environment: { PERL_BADLANG: '0' },
  };
}

function withShell(): Launcher | undefined {
  const unshare = systemProgram('unshare');
  if (unshare === undefined) return undefined;
  return {
    wrap: (area, argv) => [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', SHELL_PROGRAM, 'sh', area, ...argv],
    environment: {},
  };
}

/** Ways to prepare a copy in new namespaces, fastest first: some systems permit this only to certain programs. */
export const launchers = (): Launcher[] => [withPerl(), withShell()].filter((launcher) => launcher !== undefined);
