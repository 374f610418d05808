# Connects stdin and stdout to a port of the loopback in a network, which descriptor 3 is. Says "." on stderr when the port has ended its
# output in order. Where it broke, or this program is killed, the port sees a broken connection, and "." is not said.
# usage: forward.pl SETNS PRCTL PORT    (numbers of system calls)

use Socket;
my ($setns, $prctl, $port) = map { $_ + 0 } @ARGV;
# PR_SET_PDEATHSIG. A process that only waits for the job would outlive the one that started it.
sub end_with { syscall($prctl, 1, 9, 0, 0, 0); getppid == $_[0] or exit 1 }
my $starter = getppid;
open(my $network, "<&=", 3) or exit 1;
# NS_GET_USERNS: only a user of the namespace that owns the network may enter it.
my $owner = ioctl($network, 0xb701, 0);
syscall($setns, $owner + 0, 0x10000000) if defined $owner;
syscall($setns, fileno($network), 0x40000000) == 0 or exit 1;
# The kernel forgets this when the user changes.
end_with($starter);
my $to;
for my $try ([AF_INET, pack_sockaddr_in($port, INADDR_LOOPBACK)], [AF_INET6, pack_sockaddr_in6($port, ("\0" x 15) . "\1")]) {
  socket($to, $try->[0], SOCK_STREAM, 0) && connect($to, $try->[1]) and last;
  undef $to;
}
defined $to or exit 2;
# Unless it ends below, what closes the connection breaks it.
setsockopt($to, SOL_SOCKET, SO_LINGER, pack("ii", 1, 0));
$SIG{PIPE} = "IGNORE";
# Each direction has a process: neither waits for the other. Returns whether the end was reached.
sub copy {
  my ($from, $into) = @_;
  my $length;
  while ($length = sysread($from, my $data, 65536)) {
    for (my $done = 0; $done < $length;) { $done += syswrite($into, $data, $length - $done, $done) // return 0 }
  }
  return defined $length;
}
my $first = $$;
defined(my $child = fork) or exit 1;
if ($child == 0) {
  end_with($first);
  close STDIN;
  if (copy($to, \*STDOUT)) { syswrite(STDERR, "."); exit 0 }
  kill "KILL", $first;
  exit 3;
}
close STDOUT;
copy(\*STDIN, $to);
shutdown($to, 1);
waitpid($child, 0);
setsockopt($to, SOL_SOCKET, SO_LINGER, pack("ii", 0, 0));
