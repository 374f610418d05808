# Does what the users of a branch ask for, and ends when it has none; then its namespaces end.
# usage: answer-branch-users.pl MOUNT KIND ROOT WAIT ANSWER ASKED    (as branch.pl; 0 if a user has written to the pipe, the standard input)
#
# A line in the pipe asks to see anew what is below: the kernel remembers names and files of there, also after others changed them.

my ($mount, $kind, $root, $wait, $answer, $asked) = @ARGV;
$mount += 0;
my ($held, $made, $none, $nothing, $users) = ("held", "held.new", "none", "", "");
# MS_REMOUNT: the kernel forgets what it remembers of an overlay and does not use.
sub refresh {
  syscall($mount, $none, $root, $none, 0x20, $nothing) if $kind eq "overlay";
  my ($file, $count) = (undef, 0);
  if (open($file, "<", "state/refreshed")) { $count = <$file>; close $file }
  open($file, ">", "state/refreshed") && syswrite($file, $count + 1) && close $file;
}

# F_SETFL with O_NONBLOCK, for the reads below.
fcntl(STDIN, 4, 04000);
vec($users, fileno(STDIN), 1) = 1;
refresh() if $asked == 0;
while (1) {
  my $read = sysread(STDIN, my $data, 64);
  if ($read) { refresh(); next }
  # A read ends at once when no user is left, and would wait (EAGAIN) where there are some: who asks often gets an answer from here.
  if (!defined $read) {
    next if select(my $ready = $users, undef, undef, 1) != 0;
    fcntl(STDIN, 4, 0);
    exec("/bin/sh", "-c", $wait, "sh", $^X, "-e", $answer, $mount, $kind, $root, $wait, $answer);
    fcntl(STDIN, 4, 04000);
    next;
  }
  # From here, no new user finds the pipe. One that came before this keeps the read from ending.
  rename $held, "ending";
  $read = sysread(STDIN, $data, 64);
  last if defined $read && $read == 0;
  rename "ending", $held;
  refresh() if $read;
}
# In this order: without `holder`, another process may begin to hold the branch, by names that must not be deleted then.
unlink "ending", $made, "holder";
