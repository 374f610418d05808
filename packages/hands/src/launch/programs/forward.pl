# Connects stdin and stdout to a port of the loopback in the network of a process.
# usage: forward.pl SETNS PID PORT    (number of a system call)

use Socket;
my ($setns, $pid, $port) = map { $_ + 0 } @ARGV;
open(my $network, "<", "/proc/$pid/ns/net") or exit 1;
# NS_GET_USERNS: only a user of the namespace that owns the network may enter it.
my $owner = ioctl($network, 0xb701, 0);
syscall($setns, $owner + 0, 0x10000000) if defined $owner;
syscall($setns, fileno($network), 0x40000000) == 0 or exit 1;
my $to;
for my $try ([AF_INET, pack_sockaddr_in($port, INADDR_LOOPBACK)], [AF_INET6, pack_sockaddr_in6($port, ("\0" x 15) . "\1")]) {
  socket($to, $try->[0], SOCK_STREAM, 0) && connect($to, $try->[1]) and last;
  undef $to;
}
defined $to or exit 2;
$SIG{PIPE} = "IGNORE";
# Each direction has a process: neither waits for the other.
sub copy {
  my ($from, $into) = @_;
  while (my $length = sysread($from, my $data, 65536)) {
    for (my $done = 0; $done < $length;) { $done += syswrite($into, $data, $length - $done, $done) // return }
  }
}
defined(my $child = fork) or exit 1;
if ($child == 0) { close STDIN; copy($to, \*STDOUT); exit 0 }
close STDOUT;
copy(\*STDIN, $to);
shutdown($to, 1);
waitpid($child, 0);
