# Mounts a branch over its workspace, in namespaces of its own, which exist while someone uses it.
# usage: branch.pl UNSHARE MOUNT MKNODAT PRCTL CAPSET KIND BRANCH ROOT STATE WAIT ANSWER
# (numbers of system calls; overlay, clone or folder; folders; the programs await-branch-users.sh and answer-branch-users.pl)
#
# KIND folder has no namespaces and mounts nothing: then this only holds the branch. Exit code 2: another kind may work here.
#
# In these namespaces, ROOT is a copy-on-write view or the clone of the branch, and STATE the state of the branch, with the real one in it.
# Users keep the named pipe `held` open for writing, so the kernel tells when the last of them has ended, for any reason. A shell waits for that in
# the place of this program: it takes a fifth of the memory.
# The first user gives the pipe its name: another process that opens it for a moment, to see whether the branch is used, would be its first and last user.

my ($unshare, $mount, $mknodat, $prctl, $capset, $kind, $branch, $root, $state, $wait, $answer) = @ARGV;
$_ += 0 for $unshare, $mount, $mknodat, $prctl, $capset;
my ($uid, $gid) = ($<, $( + 0);
my $none = "none";
$SIG{$_} = "IGNORE" for "HUP", "INT", "PIPE";
sub fail { print STDERR "$_[0]: $!\n"; exit 1 }
sub fail_here { print STDERR "$_[0]: $!\n"; exit 2 }
my $header = pack("LL", 0x20080522, 0);
# Takes CAP_DAC_READ_SEARCH from the effective ones of root.
sub drop_search {
  open(my $file, "<", "/proc/self/status") or fail("capabilities");
  my %has = map { /^Cap(Inh|Prm|Eff):\s*(.{8})(.{8})$/ ? ($1 => [hex $3, hex $2]) : () } <$file>;
  $has{Eff}[0] &= ~(1 << 2);
  my $sets = pack("L6", map { my $half = $_; map { $has{$_}[$half] } "Eff", "Prm", "Inh" } 0, 1);
  syscall($capset, $header, $sets) == 0 or fail("capabilities");
}
sub put { my $file; open($file, ">", $_[0]) && defined syswrite($file, $_[1]) && close $file }
# MS_BIND with MS_REC: in a user namespace, a folder cannot be shown without what is mounted in it.
sub show { my ($from, $to) = @_; syscall($mount, $from, $to, $none, 0x5000, 0) == 0 || fail($to) }

chdir $branch or fail("branch");
# CLONE_NEWNS, for others than root with CLONE_NEWUSER. The user stays the same one.
unless ($kind eq "folder" || ($uid == 0 && syscall($unshare, 0x20000) == 0)) {
  syscall($unshare, 0x10020000) == 0 or fail_here("namespaces");
  put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", "$uid $uid 1") && put("/proc/self/gid_map", "$gid $gid 1") or fail_here("user");
}
open(my $stat, "<", "/proc/self/stat") or fail("stat");
my $fields = <$stat>; $fields =~ s/^.*\) //s;
my $started = (split / /, $fields)[19];
if ($kind ne "folder") {
  # MS_SLAVE with MS_REC: what the machine mounts later is seen, and nothing from here is seen there.
  my $top = "/";
  syscall($mount, $none, $top, $none, 0x84000, 0) == 0 or fail_here("mounts");
  show($state, "state/main");
  show($root, "state/base");
  # Names in the options are relative, because they cannot escape a comma or a colon.
  my $lower = join ":", (grep { -l } map { "above$_" } 0 .. 99), (grep { -d } "pinned"), "lower";
  # The source tells whose mount this is, to those who look for what outlived this process.
  my ($overlay, $source, $options) = ("overlay", "synapse-$$-$started", "lowerdir=$lower,upperdir=upper,workdir=work,userxattr");
  my $clone = "clone";
  # With it, an overlay finds the file of the workspace that a changed one was copied from by its file handle, and both count as one file, also
  # where that one has another name now: what is written to one is in the other. In a user namespace, it never looks for it.
  drop_search() if $uid == 0 && $kind eq "overlay";
  if ($kind eq "clone") { show($clone, $root) }
  else { syscall($mount, $source, $root, $overlay, 0, $options) == 0 or fail_here("overlay") }
  my $own = "state";
  syscall($mount, $own, $state, $none, 0x5000, 0) == 0 or fail("state");
}

put("holder.new", "$$ " . $started) && rename("holder.new", "holder") or fail("holder");
my $made = "held.new";
unlink "held", $made, "ending";
# S_IFIFO, 0600. Opened with O_NONBLOCK.
syscall($mknodat, -100, $made, 010600, 0) == 0 && sysopen(my $pipe, $made, 04000) or fail($made);
# The programs in the place of this keep CAP_SYS_ADMIN in a user namespace, by which they mount: inherited, and ambient (PR_CAP_AMBIENT_RAISE).
my $admin = pack("L6", (1 << 21) x 3, 0, 0, 0);
if ($uid != 0 && $kind ne "folder") {
  syscall($capset, $header, $admin) == 0 && syscall($prctl, 47, 2, 21, 0, 0) == 0 or fail("capabilities");
}
print "ready\n"; close STDOUT; close STDERR;
open(STDIN, "<&", $pipe);
my @answer = ($^X, "-e", $answer, $mount, $kind, $root, $wait, $answer);
my $users = "";
vec($users, fileno(STDIN), 1) = 1;
for (1 .. 10_000) {
  # Ready: a user has written, or all that came have ended.
  my $ready = select(my $found = $users, undef, undef, 0.001);
  my $read = sysread(STDIN, my $data, 64);
  exec(@answer, 0) if $read;
  exec(@answer, 1) if $ready > 0 && defined $read;
  # The read would wait (EAGAIN), as there is a user. F_SETFL: the shell waits for what it reads.
  if (!defined $read) { fcntl(STDIN, 4, 0); exec("/bin/sh", "-c", $wait, "sh", @answer) }
}
exec(@answer, 1);
