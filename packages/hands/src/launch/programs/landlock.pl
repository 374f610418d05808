# Confines a command with Landlock (linux/landlock.h) and a filter of system calls (linux/seccomp.h), where there are no namespaces.
# usage: landlock.pl PLAN FILTER LEFT PRCTL CAPSET KILL PRLIMIT CWD COMMAND…    (numbers of three descriptors and of four system calls; the others
# have one number everywhere)
#
# Where a domain keeps signals in (ABI 6), this stays as the keeper of the command, in a domain around the one of the command, which can neither
# signal nor trace it. When the command ends, when the keeper gets PWR, and when what started it ends, it kills all processes of the domain at
# once: one that starts others faster than they can be listed ends too. It writes to LEFT how many the ended command left. What started it may have
# ended before the keeper could hear of that: then there is another parent, and no command starts.
#
# The plan has fields that end with NUL: `handled FILES NETWORK SCOPES`, `processes COUNT` for the limit of the user, which stays where it is lower,
# `parent PID` for what starts this, `variable NAME=VALUE`, and `rule FOLDER FILE PATH`: what is allowed beneath a folder, or for a file. Each path is
# opened without following a link, so none that is replaced meanwhile leads elsewhere; what is gone is left out. Anything else that fails ends this
# before the command starts.

my ($plan, $filter, $left, $prctl, $capset, $kill, $prlimit, $cwd, @command) = @ARGV;
$_ += 0 for $plan, $filter, $left, $prctl, $capset, $kill, $prlimit;
my ($ruleset, $parent) = (-1, 0);
sub fail { print STDERR "synapse-landlock: $_[0]: $!\n"; exit 1 }
sub content { open(my $file, "<&=", $_[0]) or fail("descriptor"); local $/; my $text = <$file>; close $file; $text }
sub number { pack("Q", $_[0]) }
sub allow { my $rule = pack("Ql", @_); syscall(445, $ruleset, 1, $rule, 0) }
sub restrict { syscall(446, $_[0], 0) == 0 or fail("restrict") }
my ($attributes, $scopes, $opened) = (undef, 0, pack("Q3", 010000000 | 02000000, 0, 0x06));
my $calls = content($filter);
chdir $cwd or fail("working directory");
for my $field (split /\0/, content($plan)) {
  my ($what, $rest) = split / /, $field, 2;
  if ($what eq "variable") { my ($name, $value) = split /=/, $rest, 2; $ENV{$name} = $value; next }
  if ($what eq "parent") { $parent = $rest + 0; next }
  # RLIMIT_NPROC
  if ($what eq "processes") { my $limit = pack("Q2", $rest, $rest); syscall($prlimit, 0, 6, $limit, 0); next }
  if ($what eq "handled") {
    my @numbers = split / /, $rest;
    ($attributes, $scopes) = (join("", map { number($_) } @numbers), $numbers[2]);
    $ruleset = syscall(444, $attributes, length $attributes, 0);
    $ruleset >= 0 or fail("ruleset");
    next;
  }
  my ($folder, $file, $path) = split / /, $rest, 3;
  my $at = syscall(437, -100, $path, $opened, 24);
  if ($at < 0) { next if $! == 2 || $! == 13 || $! == 20 || $! == 40; fail("openat2") }
  # EINVAL: a file may have no rights of folders.
  $folder == 0 || allow($folder, $at) == 0 || ($! == 22 && ($file == 0 || allow($file, $at) == 0)) or fail("rule");
  # close_range
  syscall(436, $at, $at, 0) == 0 or fail("close");
}
# It is ours: so perl does not warn about a locale that is not installed.
delete $ENV{PERL_BADLANG};
# PR_SET_NO_NEW_PRIVS. No program regains what is given up here.
syscall($prctl, 38, 1, 0, 0, 0) == 0 or fail("privileges");
# PR_CAPBSET_DROP of all that the kernel knows, which only root may, and then all capabilities: root is a user like any other.
for (0 .. 63) { last if syscall($prctl, 24, $_, 0, 0, 0) != 0 }
my ($header, $none) = (pack("LL", 0x20080522, 0), "\0" x 24);
syscall($capset, $header, $none) == 0 or fail("capabilities");

# LANDLOCK_SCOPE_SIGNAL
keep() if $scopes & 2;
# The command must not write there.
if ($left >= 0 && open(my $file, "+<&=", $left)) { close $file }
restrict($ruleset);
# PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
my $program = pack('Sx![P]P', length($calls) / 8, $calls);
syscall($prctl, 22, 2, $program, 0, 0) == 0 or fail("filter");
exec { $command[0] } @command;
print STDERR "synapse-landlock: execvp $command[0]: $!\n";
exit 1;

# Returns in the process of the command, or where signals are not kept in.
sub keep {
  # A domain that says nothing about LANDLOCK_ACCESS_FS_REFER denies it, so this one allows it everywhere.
  my ($refer, $top) = (1 << 13, "/");
  my $domain = syscall(444, my $scope = pack("Q3", $refer, 0, 2), 24, 0);
  $domain >= 0 or fail("ruleset");
  my $at = syscall(437, -100, $top, $opened, 24);
  $at >= 0 && syscall(445, $domain, 1, my $rule = pack("Ql", $refer, $at), 0) == 0 or fail("rule");
  # A process outside, to see that it can be signaled before and not after: without that, the signal to all would reach all of the user. What started
  # this is one, unless it has another user.
  my ($outside, $write) = (getppid);
  if ($outside <= 0 || syscall($kill, $outside, 0) != 0) {
    pipe(my $read, $write) or fail("pipe");
    $outside = fork;
    defined $outside or fail("fork");
    if ($outside == 0) { close $write; sysread $read, my $end, 1; exit 0 }
  }
  my $before = syscall($kill, $outside, 0) == 0;
  restrict($domain);
  my $keeps = $before && syscall($kill, $outside, 0) != 0 && $! == 1;
  if (defined $write) { close $write; waitpid $outside, 0 }
  return if !$keeps;
  my ($main, $code, $count, @quiet) = (0, undef, 0, qw(TERM INT HUP QUIT USR1 USR2 PIPE));
  my $all = sub { syscall($kill, -1, 9) };
  $SIG{$_} = "IGNORE" for @quiet;
  my $asked = 0;
  $SIG{PWR} = sub { $asked = 1; $all->() };
  # PR_SET_CHILD_SUBREAPER, and PR_SET_PDEATHSIG with PWR.
  syscall($prctl, 36, 1, 0, 0, 0) == 0 && syscall($prctl, 1, 30, 0, 0, 0) == 0 or fail("keeper");
  # From here on, the kernel sends a signal when the parent ends.
  exit 1 if $parent && getppid != $parent;
  $main = fork;
  defined $main or fail("fork");
  if ($main == 0) { $SIG{$_} = "DEFAULT" for @quiet, "PWR"; return }
  # Their ends are those of the command.
  close $_ for *STDIN, *STDOUT, *STDERR;
  for (;;) {
    $all->() if $asked;
    my $ended = waitpid -1, 0;
    # EINTR: of a signal. ECHILD: all have ended.
    if ($ended < 0) { next if $! == 4; last }
    if ($ended == $main) { $code = $?; $all->() }
    elsif (defined $code && ($? & 127) == 9) { $count++ }
  }
  if ($count > 0 && open(my $file, "+<&=", $left)) { syswrite $file, $count }
  my $signal = $code & 127;
  $SIG{$_} = "DEFAULT" for @quiet;
  syscall($kill, $$ + 0, $signal) if $signal;
  exit($code >> 8);
}
