# Confines a command with Landlock (linux/landlock.h) and a filter of system calls (linux/seccomp.h), where there are no namespaces.
# usage: landlock.pl PLAN FILTER PRCTL CAPSET CWD COMMAND…    (numbers of two descriptors and of two system calls; the others have one number everywhere)
#
# The plan has fields that end with NUL: `handled FILES NETWORK SCOPES`, `variable NAME=VALUE` and `rule FOLDER FILE PATH`: what is allowed beneath a
# folder, or for a file. Each path is opened without following a link, so none that is replaced meanwhile leads elsewhere; what is gone is left out.
# Anything else that fails ends this before the command starts.

my ($plan, $filter, $prctl, $capset, $cwd, @command) = @ARGV;
$_ += 0 for $plan, $filter, $prctl, $capset;
sub fail { print STDERR "synapse-landlock: $_[0]: $!\n"; exit 1 }
sub content { open(my $file, "<&=", $_[0]) or fail("descriptor"); local $/; my $text = <$file>; close $file; $text }
sub number { pack("Q", $_[0]) }
my ($attributes, $opened, $ruleset) = (undef, pack("Q3", 010000000 | 02000000, 0, 0x06), -1);
my $calls = content($filter);
chdir $cwd or fail("working directory");
for my $field (split /\0/, content($plan)) {
  my ($what, $rest) = split / /, $field, 2;
  if ($what eq "variable") { my ($name, $value) = split /=/, $rest, 2; $ENV{$name} = $value; next }
  if ($what eq "handled") {
    $attributes = join "", map { number($_) } split / /, $rest;
    $ruleset = syscall(444, $attributes, length $attributes, 0);
    $ruleset >= 0 or fail("ruleset");
    next;
  }
  my ($folder, $file, $path) = split / /, $rest, 3;
  my $at = syscall(437, -100, $path, $opened, 24);
  if ($at < 0) { next if $! == 2 || $! == 13 || $! == 20 || $! == 40; fail("openat2") }
  open(my $held, "<&=", $at) or fail("handle");
  my $allowed = -d $held ? $folder : $file;
  my $rule = pack("Ql", $allowed, $at);
  $allowed == 0 || syscall(445, $ruleset, 1, $rule, 0) == 0 or fail("rule");
  close $held;
}
delete $ENV{PERL_BADLANG} if defined $ENV{PERL_BADLANG} && $ENV{PERL_BADLANG} eq "";
# PR_SET_NO_NEW_PRIVS. No program regains what is given up here.
syscall($prctl, 38, 1, 0, 0, 0) == 0 or fail("privileges");
# PR_CAPBSET_DROP of all that the kernel knows, which only root may, and then all capabilities: root is a user like any other.
for (0 .. 63) { last if syscall($prctl, 24, $_, 0, 0, 0) != 0 }
my ($header, $none) = (pack("LL", 0x20080522, 0), "\0" x 24);
syscall($capset, $header, $none) == 0 or fail("capabilities");
syscall(446, $ruleset, 0) == 0 or fail("restrict");
# PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
my $program = pack('Sx![P]P', length($calls) / 8, $calls);
syscall($prctl, 22, 2, $program, 0, 0) == 0 or fail("filter");
exec { $command[0] } @command;
print STDERR "synapse-landlock: execvp $command[0]: $!\n";
exit 1;
