# Mounts a branch over its workspace, in namespaces of its own, and holds them while someone uses it.
# usage: branch.pl UNSHARE MOUNT MKNODAT KIND BRANCH ROOT STATE    (numbers of system calls; overlay, clone or folder; folders)
#
# KIND folder has no namespaces and mounts nothing: then this only holds the branch. Exit code 2: another kind may work here.
#
# In these namespaces, ROOT is a copy-on-write view or the clone of the branch, and STATE the state of the branch, with the real one in it.
# A byte in the named pipe `held` asks to see anew what is below: the kernel remembers names and files of there, also after others changed them.
# Users keep the pipe open for writing, so the kernel tells when the last of them has ended, for any reason.
# The first user gives the pipe its name: another process that opens it for a moment, to see whether the branch is used, would be its first and last user.

my ($unshare, $mount, $mknodat, $kind, $branch, $root, $state) = @ARGV;
$_ += 0 for $unshare, $mount, $mknodat;
my ($uid, $gid) = ($<, $( + 0);
my $none = "none";
$SIG{$_} = "IGNORE" for "HUP", "INT", "PIPE";
sub fail { print STDERR "$_[0]: $!\n"; exit 1 }
sub fail_here { print STDERR "$_[0]: $!\n"; exit 2 }
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
  my $lower = join ":", (grep { -l } map { "above$_" } 0 .. 99), "lower";
  # The source tells whose mount this is, to those who look for what outlived this process.
  my ($overlay, $source, $options) = ("overlay", "synapse-$$-$started", "lowerdir=$lower,upperdir=upper,workdir=work,userxattr");
  my $clone = "clone";
  if ($kind eq "clone") { show($clone, $root) }
  else { syscall($mount, $source, $root, $overlay, 0, $options) == 0 or fail_here("overlay") }
  my $own = "state";
  syscall($mount, $own, $state, $none, 0x5000, 0) == 0 or fail("state");
}

put("holder.new", "$$ " . $started) && rename("holder.new", "holder") or fail("holder");
my ($held, $made) = ("held", "held.new");
unlink $held, $made, "ending";
# S_IFIFO, 0600. Opened with O_NONBLOCK.
syscall($mknodat, -100, $made, 010600, 0) == 0 && sysopen(my $users, $made, 04000) or fail($made);
print "ready\n"; close STDOUT; close STDERR;
my ($bits, $wait, $seen, $nothing) = ("", 10, 0, "");
# MS_REMOUNT: the kernel forgets what it remembers of an overlay and does not use.
sub refresh { syscall($mount, $none, $root, $none, 0x20, $nothing) if $kind eq "overlay"; put("state/refreshed", ++$seen) }
vec($bits, fileno($users), 1) = 1;
while (1) {
  my $count = select(my $ready = $bits, undef, undef, $wait);
  next if $count < 0;
  # A read ends at once when no user is left.
  if ($count > 0) {
    my $read = sysread($users, my $data, 64);
    refresh() if $read;
    next unless defined $read && $read == 0;
  }
  # From here, no new user finds the pipe. One that came before this keeps the read from ending.
  rename $held, "ending";
  my $read = sysread($users, my $data, 64);
  last if defined $read && $read == 0;
  rename "ending", $held;
  refresh() if $read;
  $wait = undef;
}
unlink "holder", "ending", $made;
